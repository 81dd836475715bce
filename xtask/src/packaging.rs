//! The packaging check: the published crates build from their packages, which contain the Lua scripts and the guide.

use crate::process::{cargo, output, root, run, target};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The runtime includes these files by path, through links that packaging must follow: folders and extensions.
const INCLUDED: [(&str, &str); 2] = [("lua", "lua"), ("docs", "md")];

/// Where the packages are taken apart, in the target folder.
const UNPACKED: &str = "unpacked";

/// Packs both crates, builds them from their packages, then looks for the included files in the package.
///
/// Both in one call: the runtime depends on the macros at a version that no registry has yet. Cargo's own verification
/// would keep that version of the macros in its home, and take it for the next one. Not `--offline`: packing resolves
/// again, and a cold machine may lack part of the index.
pub(crate) fn check() -> Result<(), String> {
    let both = ["--package", "ratelimit-macros", "--package", "ratelimit-runtime"];
    remove("package")?;
    run(cargo(&["package", "--allow-dirty", "--no-verify"]).args(both))?;
    let manifest = unpack()?;
    let check = ["check", "--all-features", "--workspace", "--manifest-path"];
    run(cargo(&check).arg(&manifest).env("CARGO_TARGET_DIR", target()))?;
    // Only rustdoc reads the guide.
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
    Err(format!("the package of ratelimit-runtime lacks {}", missing.join(" and ")))
}

/// Makes a workspace of the packages, in which the runtime finds the macros. Answers its manifest.
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
    let macros = members.iter().find(|name| name.starts_with("ratelimit-macros-"));
    let macros = macros.ok_or("there is no package of ratelimit-macros")?;
    let manifest = to.join("Cargo.toml");
    let text = format!(
        "[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n[patch.crates-io]\nratelimit-macros = {{ path = {macros:?} }}\n"
    );
    fs::write(&manifest, text).map_err(failed)?;
    fs::copy(root().join("Cargo.lock"), to.join("Cargo.lock")).map_err(failed)?;
    Ok(manifest)
}

fn remove(folder: &str) -> Result<(), String> {
    match fs::remove_dir_all(target().join(folder)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(format!("{folder}: {error}")),
        _ => Ok(()),
    }
}

/// The files that the package must contain, as a package lists them.
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

fn missing<'f>(listing: &str, files: &'f [String]) -> Vec<&'f str> {
    // Windows lists with backslashes.
    let listed: Vec<_> = listing.lines().map(|line| line.trim().replace('\\', "/")).collect();
    files.iter().filter(|file| !listed.contains(file)).map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::{included, missing};
    use crate::process::root;

    fn some() -> [String; 2] {
        ["lua/decide.lua", "lua/one/counter.lua"].map(String::from)
    }

    #[test]
    fn the_included_files_exist() {
        let found = included().unwrap();
        for file in ["lua/decide.lua", "lua/one/counter.lua", "docs/scaling.md"] {
            assert!(found.iter().any(|found| found == file), "{found:?}");
        }
        assert!(found.iter().all(|file| root().join(file).is_file()), "{found:?}");
    }

    #[test]
    fn a_complete_listing_lacks_nothing() {
        let listing = "Cargo.toml\nlua/counter.lua\nlua/decide.lua\nlua\\one\\counter.lua\nsrc/lib.rs\n";
        assert!(missing(listing, &some()).is_empty());
    }

    #[test]
    fn a_link_that_was_not_followed_is_noticed() {
        assert_eq!(missing("Cargo.toml\nlua\nsrc/lib.rs\n", &some()), some());
    }

    #[test]
    fn a_script_that_was_left_out_is_named() {
        assert_eq!(missing("src/lua/decide.lua\nlua/one/counter.lua\n", &some()), ["lua/decide.lua"]);
    }
}
