//! `cargo xtask features`: checks that every feature of the library and every pair of features builds without warnings, and needs
//! no newer Rust than the documentation states.

use crate::process::{cargo, output, run};
use crate::progress::Progress;
use crate::tools;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

const PACKAGE: &str = "ratelimit-runtime";

/// The features that need a newer Rust than the library without features, as README.md states them. The lock file selects the
/// versions of dependencies that need the oldest Rust. So a user who selects the same versions can build with the stated Rust.
const NEWER: [(&str, Version); 1] = [("salvo", Version(1, 95))];

/// A version of Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub(crate) u32, pub(crate) u32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// The oldest Rust of each package, as the package's author states it.
type Floors = BTreeMap<(String, String), Version>;

pub(crate) fn check() -> Result<(), String> {
    tools::ensure_component("clippy", "clippy")?;
    let metadata = metadata()?;
    let (features, floors) = (features(&metadata), floors(&metadata));
    let mut progress = Progress::default();
    progress.step("floors", || check_floors(&features, &floors))?;
    progress.step("no feature", || build(""))?;
    for (at, feature) in features.iter().enumerate() {
        progress.step(feature, || build(feature))?;
        for other in &features[at + 1..] {
            let pair = format!("{feature} {other}");
            progress.step(&pair, || build(&pair))?;
        }
    }
    println!("\n{}", progress.summary());
    Ok(())
}

/// The public features of the library.
pub(crate) fn names() -> Result<Vec<String>, String> {
    Ok(features(&metadata()?))
}

/// The oldest Rust that is stated for the library without features, and for each feature.
pub(crate) fn stated() -> Result<Vec<(String, Version)>, String> {
    let metadata = metadata()?;
    let package = packages(&metadata).find(|package| package["name"] == PACKAGE);
    let base = package.and_then(|package| version(package["rust_version"].as_str()?));
    let base = base.ok_or_else(|| format!("{PACKAGE} states no `rust-version`"))?;
    let of =
        |feature: &String| NEWER.iter().find(|(name, _)| name == feature).map_or(base, |(_, floor)| *floor);
    let none = (String::new(), base);
    Ok([none]
        .into_iter()
        .chain(features(&metadata).into_iter().map(|feature| (feature.clone(), of(&feature))))
        .collect())
}

/// The workspace and all dependencies, as cargo describes them.
pub(crate) fn metadata() -> Result<Value, String> {
    let metadata = output(&mut cargo(&["metadata", "--locked", "--format-version", "1"]))?;
    serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))
}

fn build(features: &str) -> Result<(), String> {
    run(cargo(&["clippy", "--quiet", "--locked", "-p", PACKAGE, "--features", features])
        .args(["--", "-D", "warnings"]))
}

/// The public features of the library. Features with an underscore in front are internal.
fn features(metadata: &Value) -> Vec<String> {
    let package = packages(metadata).find(|package| package["name"] == PACKAGE);
    let features = package.and_then(|package| package["features"].as_object());
    let names = features.into_iter().flat_map(serde_json::Map::keys);
    names.filter(|name| *name != "default" && !name.starts_with('_')).cloned().collect()
}

fn floors(metadata: &Value) -> Floors {
    let floor = |package: &Value| {
        let text = |key: &str| package[key].as_str().map(str::to_owned);
        Some(((text("name")?, text("version")?), version(package["rust_version"].as_str()?)?))
    };
    packages(metadata).filter_map(floor).collect()
}

pub(crate) fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

fn version(text: &str) -> Option<Version> {
    let mut numbers = text.split('.').map(str::parse);
    Some(Version(numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Compares the stated versions of Rust with the versions that the dependencies need.
fn check_floors(features: &[String], floors: &Floors) -> Result<(), String> {
    let none = floor_of("", floors)?;
    println!("  {:<12}{none}", "(none)");
    for feature in features {
        let needed = floor_of(feature, floors)?;
        let stated = NEWER.iter().find(|(name, _)| name == feature).map_or(none, |(_, floor)| *floor);
        println!("  {feature:<12}{needed}");
        if needed != stated {
            return Err(format!("`{feature}` needs Rust {needed}, but {stated} is stated"));
        }
    }
    Ok(())
}

/// The newest Rust that any dependency of the library with this feature needs.
fn floor_of(feature: &str, floors: &Floors) -> Result<Version, String> {
    let edges = [
        "tree",
        "--locked",
        "-p",
        PACKAGE,
        "--edges",
        "normal,build",
        "--prefix",
        "none",
        "--features",
        feature,
    ];
    let tree = output(cargo(&edges).args(["--format", "{p}"]))?;
    let used: BTreeSet<(String, String)> = tree.lines().filter_map(name_and_version).collect();
    used.iter()
        .filter_map(|package| floors.get(package))
        .max()
        .copied()
        .ok_or_else(|| "no package".to_owned())
}

/// Reads a line such as `axum v0.8.9 (proc-macro)`. `None` for any other line.
fn name_and_version(line: &str) -> Option<(String, String)> {
    let mut words = line.split_whitespace();
    Some((words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_lines_are_read() {
        assert_eq!(version("1.88"), Some(Version(1, 88)));
        assert_eq!(version("1.85.1"), Some(Version(1, 85)));
        assert!(Version(1, 88) < Version(1, 95) && version("x").is_none());
        let package = |name: &str, version: &str| Some((name.to_owned(), version.to_owned()));
        assert_eq!(name_and_version("serde_derive v1.0.1 (proc-macro)"), package("serde_derive", "1.0.1"));
        assert_eq!(name_and_version(""), None);
    }
}
