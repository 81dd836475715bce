//! The services whose builds are compared: each has axum and one library of limits.

use super::crates::{line_of, package};
use super::{Figures, Stopwatch, quietly, remove, run};
use crate::process::{cargo, output, root};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The services, each with the dependencies that it adds to axum and tokio.
const SERVICES: [(&str, &str); 5] = [
    ("axum alone", ""),
    (
        "this library, on memory or Redis",
        "ratelimit-runtime = { path = \"{root}/ratelimit-runtime\", features = [\"axum\"] }",
    ),
    ("tower_governor", "{tower_governor}"),
    ("tower_governor, with its default features", "tower_governor = \"0.8\""),
    ("tower_governor, and the crate redis", "{tower_governor}\n{redis}"),
];

/// Counts the crates of each service, and measures one clean debug build of each.
pub(super) fn measure(place: &Path) -> Result<(), String> {
    let manifest = root().join("Cargo.toml");
    let workspace =
        fs::read_to_string(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
    let fresh = place.join("fresh");
    println!("crates of a service, without itself, and the time of one clean build");
    for (at, (name, dependencies)) in SERVICES.iter().enumerate() {
        let dependencies = dependencies
            .replace("{root}", &root().display().to_string())
            .replace("{tower_governor}", line_of(&workspace, "tower_governor"))
            .replace("{redis}", line_of(&workspace, "redis"));
        let dependencies = format!(
            "axum = {{ version = \"0.8\", default-features = false, features = [\"http1\", \"tokio\"] }}\n\
             tokio = {{ version = \"1\", features = [\"macros\", \"net\", \"rt-multi-thread\"] }}\n{dependencies}"
        );
        let folder = package(place, &format!("service_{at}"), &dependencies, "")
            .map_err(|error| format!("{}: {error}", place.display()))?;
        remove(&fresh)?;
        let tree = ["tree", "--edges=normal", "--prefix=none", "--no-dedupe"];
        let crates = count(&output(cargo(&tree).current_dir(&folder))?);
        let mut figures = Figures::default();
        figures.add(&Stopwatch::start(), || run(&mut quietly(&["build", "--quiet"], &folder, &fresh)))?;
        println!("  {name:<44}{crates:>4}{figures}");
    }
    remove(&fresh)
}

/// Counts the packages in the output of `cargo tree`, without the first, which is the service itself.
fn count(tree: &str) -> usize {
    let version = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    tree.lines().skip(1).filter(|line| !line.is_empty()).map(version).collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn a_crate_counts_once_for_each_version() {
        let tree = "service v0.0.0 (/a)\nsyn v3.0.9\nserde v1.0.0 (*)\nserde v1.0.0\nsyn v2.0.0\nmacros v0.1.0 (proc-macro)\n";
        assert_eq!(count(tree), 4);
    }
}
