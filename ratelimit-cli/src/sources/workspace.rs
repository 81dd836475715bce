//! The packages of a workspace, as cargo describes them.

use super::found::Scope;
use crate::manifest::Entry;
use serde::Deserialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package of the attribute.
const RUNTIME: &str = "ratelimit-runtime";
/// The name of that package's library.
const LIBRARY: &str = "ratelimit";

#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    #[serde(rename = "workspace_root")]
    pub(crate) root: PathBuf,
    pub(crate) packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    rename: Option<String>,
    /// The folder of a dependency that does not come from a registry.
    path: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    name: String,
    kind: Vec<String>,
    #[serde(rename = "src_path")]
    pub(crate) root: PathBuf,
}

impl Workspace {
    /// Asks cargo for the workspace of a manifest, or of the current folder. Cargo does not resolve or download dependencies for
    /// this.
    pub(crate) fn find(manifest: Option<&Path>) -> Result<Self, String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(&cargo);
        command.args(["metadata", "--format-version=1", "--no-deps", "--color=never"]);
        if let Some(manifest) = manifest {
            command.arg("--manifest-path").arg(manifest);
        }
        let output = command.output().map_err(|error| format!("cannot run {}: {error}", cargo.display()))?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            let message = message.trim();
            return Err(message.strip_prefix("error: ").unwrap_or(message).to_owned());
        }
        let workspace = serde_json::from_slice(&output.stdout);
        let mut workspace: Self =
            workspace.map_err(|error| format!("cannot read the output of `cargo metadata`: {error}"))?;
        workspace.packages.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(workspace)
    }

    pub(crate) fn has(&self, package: &str) -> bool {
        self.package(package).is_some()
    }

    fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// Whether a dependency is a package of this workspace.
    fn contains(&self, dependency: &Dependency) -> bool {
        dependency.path.is_some() && self.has(&dependency.name)
    }

    /// The names of the crates that cannot re-export the attribute, because they are outside of the workspace.
    pub(super) fn foreign_crates(&self, package: &Package) -> HashSet<String> {
        let foreign = package.dependencies.iter().filter(|dependency| {
            dependency.name != RUNTIME && dependency.crate_name() != LIBRARY && !self.contains(dependency)
        });
        foreign.map(Dependency::crate_name).collect()
    }

    /// Whether the limits of both entries can be in one program.
    pub(crate) fn are_in_one_program(&self, a: &Entry, b: &Entry) -> bool {
        if a.package == b.package && a.target == b.target {
            return true;
        }
        // Two targets of one package are two programs, but both programs contain the library of the package. So one of the two
        // limits must be in a library.
        let has_library = a.target == "lib" || b.target == "lib";
        has_library
            && self.packages.iter().any(|root| {
                let used = self.used(root);
                [a, b].into_iter().all(|entry| {
                    used.contains(entry.package.as_str())
                        && (entry.target == "lib" || entry.package == root.name)
                })
            })
    }

    /// A package with all packages of the workspace that it uses.
    fn used<'w>(&'w self, package: &'w Package) -> HashSet<&'w str> {
        let mut used = HashSet::from([package.name.as_str()]);
        let mut open = vec![package];
        while let Some(package) = open.pop() {
            let dependencies = package.dependencies.iter().filter(|dependency| self.contains(dependency));
            for next in dependencies.filter_map(|dependency| self.package(&dependency.name)) {
                if used.insert(&next.name) {
                    open.push(next);
                }
            }
        }
        used
    }
}

impl Package {
    /// Whether the package can name the attribute: it depends on the library, or on a package that may re-export the attribute.
    pub(super) fn may_have_limits(&self) -> bool {
        self.dependencies.iter().any(|dependency| dependency.name == RUNTIME || dependency.path.is_some())
    }

    pub(super) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new("."))
    }

    /// The targets of this scope, the library first.
    pub(super) fn targets(&self, scope: Scope) -> Vec<&Target> {
        let mut targets: Vec<&Target> =
            self.targets.iter().filter(|target| scope == Scope::All || target.is_shipped()).collect();
        targets.retain(|target| !target.is("custom-build"));
        targets.sort_by_key(|target| (!target.is_library(), !target.is("bin")));
        targets
    }
}

impl Dependency {
    /// The name of the dependency in the code.
    fn crate_name(&self) -> String {
        let library = if self.name == RUNTIME { LIBRARY } else { &self.name };
        self.rename.as_deref().unwrap_or(library).replace('-', "_")
    }
}

impl Target {
    fn is(&self, kind: &str) -> bool {
        self.kind.iter().any(|found| found == kind)
    }

    fn is_library(&self) -> bool {
        !["bin", "example", "test", "bench", "custom-build"].iter().any(|kind| self.is(kind))
    }

    fn is_shipped(&self) -> bool {
        self.is_library() || self.is("bin")
    }

    pub(super) fn crate_name(&self) -> String {
        self.name.replace('-', "_")
    }

    /// The name of the target in the manifest: `lib`, or its kind and name.
    pub(super) fn label(&self) -> String {
        match self.kind.first() {
            Some(kind) if !self.is_library() => format!("{kind} {}", self.name),
            _ => "lib".to_owned(),
        }
    }
}
