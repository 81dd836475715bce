//! The packaging check: the published crates build from their packages, Lua scripts included.

use crate::process::{cargo, output, root, run};
use std::fs;
use std::io;
use std::path::Path;

/// The runtime embeds what is here by path, through a link that packaging must follow.
const SCRIPTS: &str = "lua";

/// Builds both packages as a registry would, then looks for the scripts inside.
///
/// Both in one call: the runtime depends on the macros at a version that no registry has yet.
/// Not `--offline`: verification resolves again, and a cold machine may lack part of the index.
pub(crate) fn check() -> Result<(), String> {
    let both =
        ["package", "--allow-dirty", "--package", "ratelimit-macros", "--package", "ratelimit-runtime"];
    run(&mut cargo(&both))?;
    let list = ["package", "--allow-dirty", "--list", "--package", "ratelimit-runtime"];
    let listing = output(&mut cargo(&list))?;
    let scripts = scripts(&root(), SCRIPTS).map_err(|error| format!("{SCRIPTS}: {error}"))?;
    let missing = missing(&listing, &scripts);
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("the package of ratelimit-runtime lacks {}", missing.join(" and ")))
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
