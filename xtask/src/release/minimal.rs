//! Checks that the libraries compile with the oldest version of each direct dependency that their manifests permit.

use crate::packaging::{self, PUBLISHED};
use crate::process::{cargo, run, target};
use crate::progress::Verdict;
use std::fs;
use std::io;

const FOLDER: &str = "minimal";

/// The command is left out. It is installed with its own lock file, so no user resolves its dependencies again.
const PROGRAM: &str = "ratelimit-cli";

/// Checks the packages, because their manifests name every dependency with its version. The dependencies of tests are removed,
/// because tests are not published.
pub(crate) fn check() -> Result<Verdict, String> {
    packaging::pack()?;
    packaging::unpack(FOLDER)?;
    let folder = target().join(FOLDER);
    let failed = |error: io::Error| format!("{}: {error}", folder.display());
    for name in libraries() {
        let manifest = folder.join(packaging::folder(name)).join("Cargo.toml");
        let text = fs::read_to_string(&manifest).map_err(failed)?;
        fs::write(&manifest, without_tests(&text)).map_err(failed)?;
    }
    fs::write(folder.join("Cargo.toml"), workspace()).map_err(failed)?;
    let manifest = folder.join("Cargo.toml");
    // The option is unstable. The variable permits it on the stable toolchain, for this command only.
    let mut resolve = cargo(&["-Z", "direct-minimal-versions", "generate-lockfile", "--manifest-path"]);
    run(resolve.arg(&manifest).env("RUSTC_BOOTSTRAP", "1"))?;
    let mut check = cargo(&["check", "--locked", "--workspace", "--all-features", "--manifest-path"]);
    run(check.arg(&manifest).env("CARGO_TARGET_DIR", target().join("oldest"))).map(|()| Verdict::Passed)
}

fn libraries() -> impl Iterator<Item = &'static str> {
    PUBLISHED.into_iter().filter(|name| *name != PROGRAM)
}

fn workspace() -> String {
    let folders: Vec<_> = libraries().map(|name| (name, packaging::folder(name))).collect();
    let members: Vec<_> = folders.iter().map(|(_, folder)| format!("\"{folder}\"")).collect();
    let patches: Vec<_> =
        folders.iter().map(|(name, folder)| format!("{name} = {{ path = \"{folder}\" }}\n")).collect();
    format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n[patch.crates-io]\n{}",
        members.join(", "),
        patches.concat()
    )
}

/// The manifest without its tables of dependencies for tests.
fn without_tests(manifest: &str) -> String {
    let mut is_kept = true;
    let kept = manifest.split_inclusive('\n').filter(|line| {
        if line.starts_with('[') {
            is_kept = !line.starts_with("[dev-dependencies");
        }
        is_kept
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::without_tests;

    #[test]
    fn dependencies_of_tests_are_removed() {
        let manifest = "[package]\nname = \"a\"\n[dev-dependencies.b]\nversion = \"1\"\n\n[dependencies.c]\nversion = \"2\"\n";
        assert_eq!(without_tests(manifest), "[package]\nname = \"a\"\n[dependencies.c]\nversion = \"2\"\n");
    }
}
