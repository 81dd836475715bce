//! The packaging check: the published crates build from their packages, and their documentation has no warnings.

use crate::process::{cargo, cargo_once, remove, root, run, target};
use crate::release::rustdoc;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::Command;

/// The published crates, in the order of their dependencies.
pub(crate) const PUBLISHED: [&str; 6] = [
    "ratelimit-limit",
    "ratelimit-lua",
    "ratelimit-syntax",
    "ratelimit-macros",
    "ratelimit-runtime",
    "ratelimit-cli",
];

/// The programs that are documented. The two programs of `ratelimit-cli` are left out, because the library of that package has
/// their documentation.
const PROGRAMS: [&str; 6] = [
    "default_limiter_process",
    "ratelimit-bench",
    "ratelimit-lua54",
    "ratelimit-observe-bench",
    "worker",
    "xtask",
];

/// The folder below the target folder into which the packages are unpacked.
const UNPACKED: &str = "unpacked";

/// Packages the crates, builds the packages, and documents the libraries from the packages. The build and the documentation fail
/// if a package does not contain the scripts or the guide.
pub(crate) fn check() -> Result<(), String> {
    pack()?;
    let manifest = unpack_into_workspace()?;
    let command = |arguments: &[&str]| {
        let mut command = cargo_once(arguments);
        command.args(["--workspace", "--all-features", "--manifest-path"]).arg(&manifest);
        command.env("CARGO_TARGET_DIR", target());
        command
    };
    // With the example, cargo also selects the features of the tests. So cargo uses the dependencies that the tests have already
    // compiled.
    let programs = ["--bin", "ratelimit", "--bin", "cargo-ratelimit", "--example", "quickstart"];
    run(command(&["build"]).args(programs))?;
    // Only rustdoc includes the guide, so a build does not check it.
    run(&mut rustdoc::instead_of_tests(command(&["test", "--doc"])))
}

/// Documents the programs. `cargo doc` compiles all dependencies in a separate form for this.
pub(crate) fn document_programs() -> Result<(), String> {
    let mut doc = cargo_once(&["doc", "--locked", "--workspace", "--all-features", "--no-deps", "--lib"]);
    run(doc.args(PROGRAMS.map(|name| ["--bin", name]).as_flattened()).env("RUSTDOCFLAGS", "-D warnings"))
}

/// Packages all crates with one call, because they depend on versions of each other that are not published yet.
///
/// `--no-verify` is set, because cargo's verification would cache these versions and use them again after a change. `--offline`
/// is not set, because packaging resolves the dependencies again, and a new machine may lack parts of the index.
pub(crate) fn pack() -> Result<(), String> {
    remove(&target().join("package"))?;
    run(cargo(&["package", "--allow-dirty", "--no-verify"])
        .args(PUBLISHED.map(|name| ["--package", name]).as_flattened()))
}

/// Unpacks the packages into a new folder below the target folder.
pub(crate) fn unpack(into: &str) -> Result<(), String> {
    remove(&target().join(into))?;
    let (from, to) = (target().join("package"), target().join(into));
    let failed = |error: io::Error| format!("{}: {error}", to.display());
    fs::create_dir_all(&to).map_err(failed)?;
    for entry in fs::read_dir(&from).map_err(failed)? {
        let package = entry.map_err(failed)?.path();
        if package.extension().is_some_and(|extension| extension == "crate") {
            // `-m`: cargo compares times, and the sources may be older than what an earlier commit has built here.
            run(Command::new("tar").arg("-xmzf").arg(&package).arg("-C").arg(&to))?;
            let unpacked =
                package.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let is_of = |name: &&str| unpacked.strip_prefix(*name).is_some_and(is_version);
            let name = PUBLISHED.into_iter().find(is_of);
            let name = name.ok_or_else(|| format!("{unpacked} is not published"))?;
            fs::rename(to.join(&unpacked), to.join(folder(name))).map_err(failed)?;
        }
    }
    Ok(())
}

/// Makes a copy of the workspace, so that cargo selects the same features. In the copy, the packages replace their sources, and
/// the other members are links. Returns the manifest of the copy.
fn unpack_into_workspace() -> Result<PathBuf, String> {
    unpack(UNPACKED)?;
    let to = target().join(UNPACKED);
    let failed = |error: io::Error| format!("{}: {error}", to.display());
    let text = fs::read_to_string(root().join("Cargo.toml")).map_err(failed)?;
    for linked in folders(&text).into_iter().filter(|member| !PUBLISHED.map(folder).contains(member)) {
        run(Command::new("ln").arg("-s").arg(root().join(linked)).arg(&to))?;
    }
    // `cargo package` has removed the paths between the packages.
    let patches = PUBLISHED.map(|name| format!("{name} = {{ path = \"{}\" }}\n", folder(name))).concat();
    let text = text.replace("\n[patch.crates-io]\n", &format!("\n[patch.crates-io]\n{patches}"));
    // The copy is only compiled, never run, so it needs no optimization.
    let is_optimized = |line: &&str| line.starts_with("ratelimit-") && line.contains(".opt-level");
    let text: String =
        text.lines().filter(|line| !is_optimized(line)).flat_map(|line| [line, "\n"]).collect();
    fs::write(to.join("Cargo.toml"), text).map_err(failed)?;
    fs::copy(root().join("Cargo.lock"), to.join("Cargo.lock")).map_err(failed)?;
    Ok(to.join("Cargo.toml"))
}

/// The folder of a published crate.
pub(crate) fn folder(package: &str) -> &str {
    if package == "ratelimit-lua" { "lua" } else { package }
}

/// The folders of the root that contain the members of the workspace with this manifest.
fn folders(manifest: &str) -> BTreeSet<&str> {
    let members = manifest.lines().find(|line| line.starts_with("members = ")).unwrap_or_default();
    members.split('"').skip(1).step_by(2).filter_map(|member| member.split('/').next()).collect()
}

/// Whether the rest of a folder's name is a version.
fn is_version(end: &str) -> bool {
    end.strip_prefix('-').is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::{PUBLISHED, folder, folders};
    use crate::process::root;
    use std::fs;

    #[test]
    fn members_are_in_folders_of_the_root() {
        let manifest =
            "[workspace]\nmembers = [\"tests\", \"tests/ui\", \"xtask\"]\ndefault-members = [\"a\"]\n";
        assert!(folders(manifest).into_iter().eq(["tests", "xtask"]));
    }

    /// Cargo does not package files from outside of a package, so each package has copies. `UPDATE_EXPECT=1` makes the copies.
    #[test]
    fn the_packages_have_copies_of_the_licences_and_the_readme() {
        let licences = PUBLISHED.iter().flat_map(|package| {
            ["LICENSE-APACHE", "LICENSE-MIT"].map(|name| (name, format!("{}/{name}", folder(package))))
        });
        for (original, copy) in licences.chain([("README.md", "ratelimit-runtime/README.md".to_owned())]) {
            let text = fs::read(root().join(original)).unwrap();
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                fs::write(root().join(&copy), &text).unwrap();
            }
            let is_copy = fs::read(root().join(&copy)).is_ok_and(|found| found == text);
            assert!(is_copy, "{copy} differs from {original}: run `UPDATE_EXPECT=1 cargo test -p xtask`");
        }
    }
}
