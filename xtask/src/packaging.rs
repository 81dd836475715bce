//! The packaging check: the published crates build from their packages, and the package of the runtime contains the Lua scripts
//! and the guide.

use crate::process::{cargo, output, root, run, target};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders and extensions of the files that the runtime includes through links, which packaging must follow.
const INCLUDED: [(&str, &str); 2] = [("lua", "lua"), ("docs", "md")];

/// The published crates.
const PUBLISHED: [&str; 4] = ["ratelimit-syntax", "ratelimit-macros", "ratelimit-runtime", "ratelimit-cli"];

/// The folder below the target folder into which the packages are unpacked.
const UNPACKED: &str = "unpacked";

/// Packages the crates, builds them from their packages, and checks that the runtime's package contains the included
/// files.
///
/// One call packages all of them, because they depend on versions of each other that are not published yet. `--no-verify`,
/// because cargo's verification would cache these versions and use it again after a change. Without
/// `--offline`, because packaging resolves the dependencies again, and a new machine may lack parts of the index.
pub(crate) fn check() -> Result<(), String> {
    remove("package")?;
    run(cargo(&["package", "--allow-dirty", "--no-verify"])
        .args(PUBLISHED.map(|name| ["--package", name]).as_flattened()))?;
    let manifest = unpack()?;
    let check = ["check", "--all-features", "--workspace", "--manifest-path"];
    run(cargo(&check).arg(&manifest).env("CARGO_TARGET_DIR", target()))?;
    // Only rustdoc includes the guide, so a build does not check it.
    let doc = ["doc", "--all-features", "--no-deps", "--package", "ratelimit-runtime", "--manifest-path"];
    let mut doc = cargo(&doc);
    run(doc.arg(manifest).env("CARGO_TARGET_DIR", target()).env("RUSTDOCFLAGS", "-D warnings"))?;
    let list = ["package", "--allow-dirty", "--list", "--package", "ratelimit-runtime"];
    let listing = output(&mut cargo(&list))?;
    let included = included().map_err(|error| format!("cannot list the included files: {error}"))?;
    let missing = missing(&listing, &included);
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("the package of ratelimit-runtime does not contain {}", missing.join(", ")))
}

/// Makes a workspace of the unpacked packages, in which they use each other. Returns its manifest.
fn unpack() -> Result<PathBuf, String> {
    remove(UNPACKED)?;
    let (from, to) = (target().join("package"), target().join(UNPACKED));
    let failed = |error: io::Error| format!("{}: {error}", to.display());
    fs::create_dir_all(&to).map_err(failed)?;
    let mut members = Vec::new();
    for entry in fs::read_dir(&from).map_err(failed)? {
        let package = entry.map_err(failed)?.path();
        if package.extension().is_some_and(|extension| extension == "crate") {
            run(Command::new("tar").arg("-xzf").arg(&package).arg("-C").arg(&to))?;
            members.extend(package.file_stem().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    let manifest = to.join("Cargo.toml");
    let mut text = format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n[patch.crates-io]\n");
    for name in PUBLISHED {
        let folder = members.iter().find(|member| member.strip_prefix(name).is_some_and(is_version));
        let folder = folder.ok_or_else(|| format!("cargo made no package of {name}"))?;
        text.extend([name, " = { path = \"", folder, "\" }\n"]);
    }
    fs::write(&manifest, text).map_err(failed)?;
    fs::copy(root().join("Cargo.lock"), to.join("Cargo.lock")).map_err(failed)?;
    Ok(manifest)
}

/// Whether the end of a folder's name is a version.
fn is_version(end: &str) -> bool {
    end.strip_prefix('-').is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
}

fn remove(folder: &str) -> Result<(), String> {
    match fs::remove_dir_all(target().join(folder)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(format!("{folder}: {error}")),
        _ => Ok(()),
    }
}

/// The files that the package must contain, with the paths of `cargo package --list`.
fn included() -> io::Result<Vec<String>> {
    let mut included = Vec::new();
    for (folder, extension) in INCLUDED {
        included.extend(files(&root(), folder, extension)?);
    }
    Ok(included)
}

/// All files with an extension below a folder of the root.
fn files(root: &Path, folder: &str, extension: &str) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            found.extend(files(root, &path, extension)?);
        } else if Path::new(&path).extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The files that a listing does not contain.
fn missing<'f>(listing: &str, files: &'f [String]) -> Vec<&'f str> {
    // On Windows, the paths have backslashes.
    let listed: Vec<_> = listing.lines().map(|line| line.trim().replace('\\', "/")).collect();
    files.iter().filter(|file| !listed.contains(file)).map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::{included, missing};
    use crate::process::root;

    fn two_scripts() -> [String; 2] {
        ["lua/decide.lua", "lua/single/counter.lua"].map(String::from)
    }

    #[test]
    fn the_included_files_exist() {
        let found = included().unwrap();
        for file in ["lua/decide.lua", "lua/single/counter.lua", "docs/scaling.md"] {
            assert!(found.iter().any(|found| found == file), "{found:?}");
        }
        assert!(found.iter().all(|file| root().join(file).is_file()), "{found:?}");
    }

    #[test]
    fn nothing_is_missing_from_a_complete_listing() {
        let listing = "Cargo.toml\nlua/counter.lua\nlua/decide.lua\nlua\\single\\counter.lua\nsrc/lib.rs\n";
        assert!(missing(listing, &two_scripts()).is_empty());
    }

    #[test]
    fn all_files_are_missing_if_a_link_was_not_followed() {
        assert_eq!(missing("Cargo.toml\nlua\nsrc/lib.rs\n", &two_scripts()), two_scripts());
    }

    #[test]
    fn an_omitted_script_is_named() {
        assert_eq!(
            missing("src/lua/decide.lua\nlua/single/counter.lua\n", &two_scripts()),
            ["lua/decide.lua"]
        );
    }
}
