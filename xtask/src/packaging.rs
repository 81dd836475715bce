//! The packaging check: the published crates build from their packages, Lua scripts included.

use crate::process::{cargo, output, root, run, target};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The runtime embeds what is here by path, through a link that packaging must follow.
const SCRIPTS: &str = "lua";

/// Where the packages are taken apart, in the target folder.
const UNPACKED: &str = "unpacked";

/// Packs both crates, checks what came out of the packages, then looks for the scripts inside.
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
    run(cargo(&check).arg(manifest).env("CARGO_TARGET_DIR", target()))?;
    let list = ["package", "--allow-dirty", "--list", "--package", "ratelimit-runtime"];
    let listing = output(&mut cargo(&list))?;
    let scripts = scripts(&root(), SCRIPTS).map_err(|error| format!("{SCRIPTS}: {error}"))?;
    let missing = missing(&listing, &scripts);
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

/// All Lua files below a folder of the root, as a package lists them.
fn scripts(root: &Path, folder: &str) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            found.extend(scripts(root, &path)?);
        } else if Path::new(&path).extension().is_some_and(|extension| extension == "lua") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn missing<'s>(listing: &str, scripts: &'s [String]) -> Vec<&'s str> {
    // Windows lists with backslashes.
    let listed: Vec<_> = listing.lines().map(|line| line.trim().replace('\\', "/")).collect();
    scripts.iter().filter(|script| !listed.contains(script)).map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::{SCRIPTS, missing, scripts};
    use crate::process::root;

    fn some() -> [String; 2] {
        ["lua/decide.lua", "lua/one/counter.lua"].map(String::from)
    }

    #[test]
    fn the_scripts_are_those_that_are_there() {
        let found = scripts(&root(), SCRIPTS).unwrap();
        assert!(found.iter().any(|script| script == "lua/decide.lua"), "{found:?}");
        assert!(found.iter().all(|script| root().join(script).is_file()), "{found:?}");
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
