//! The packaging check: the published crates build from their packages, Lua scripts included.

use crate::process::{cargo, output, run};

/// The runtime embeds these by path, through a link that packaging must follow.
const SCRIPTS: [&str; 3] = ["lua/counter.lua", "lua/token_bucket.lua", "lua/decide.lua"];

/// Builds both packages as a registry would, then looks for the scripts inside.
///
/// Both in one call: the runtime depends on the macros at a version that no registry has yet.
/// Not `--offline`: verification resolves again, and a cold machine may lack part of the index.
pub(crate) fn check() -> Result<(), String> {
    let both =
        ["package", "--allow-dirty", "--package", "ratelimit-macros", "--package", "ratelimit-runtime"];
    run(&mut cargo(&both))?;
    let list = ["package", "--allow-dirty", "--list", "--package", "ratelimit-runtime"];
    let missing = missing(&output(&mut cargo(&list))?);
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("the package of ratelimit-runtime lacks {}", missing.join(" and ")))
}

fn missing(listing: &str) -> Vec<&'static str> {
    // Windows lists with backslashes.
    let listed: Vec<_> = listing.lines().map(|line| line.trim().replace('\\', "/")).collect();
    SCRIPTS.into_iter().filter(|script| !listed.iter().any(|line| line == script)).collect()
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn a_complete_listing_lacks_nothing() {
        let listing = "Cargo.toml\nlua/counter.lua\nlua/decide.lua\nlua/token_bucket.lua\nsrc/lib.rs\n";
        assert!(missing(listing).is_empty());
    }

    #[test]
    fn a_link_that_was_not_followed_is_noticed() {
        let all = ["lua/counter.lua", "lua/token_bucket.lua", "lua/decide.lua"];
        assert_eq!(missing("Cargo.toml\nlua\nsrc/lib.rs\n"), all);
    }

    #[test]
    fn a_script_that_was_left_out_is_named() {
        let listing = "src/lua/decide.lua\nlua/counter.lua\nlua/token_bucket.lua\n";
        assert_eq!(missing(listing), ["lua/decide.lua"]);
    }
}
