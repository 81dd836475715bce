//! Reads the files of a package. It begins with the root of each target, and follows the `mod` declarations.

use super::found::{Found, Scope};
use super::modules::{Place, Resolved, Submodule};
use super::reader::{Context, Reader};
use super::workspace::{Package, Target, Workspace};
use crate::manifest::{Kind, Problem};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The maximum depth of modules. Only a file that includes itself exceeds it.
const DEEPEST: usize = 64;

pub(super) struct Files<'f> {
    workspace: &'f Workspace,
    package: &'f Package,
    scope: Scope,
    foreign: HashSet<String>,
    /// The files that were read. Several targets may contain the same file.
    known: HashSet<PathBuf>,
    found: &'f mut Found,
}

impl<'f> Files<'f> {
    pub(super) fn new(
        workspace: &'f Workspace,
        package: &'f Package,
        scope: Scope,
        found: &'f mut Found,
    ) -> Self {
        let foreign = workspace.foreign_crates(package);
        Self { workspace, package, scope, foreign, known: HashSet::new(), found }
    }

    pub(super) fn read(mut self) {
        for target in self.package.targets(self.scope) {
            let place = Place::of_root(&target.root);
            self.file(target, &target.root, &place, vec![target.crate_name()], &[]);
        }
        self.found.entries.sort_by(|a, b| {
            (&a.package, &a.target, &a.file, a.line).cmp(&(&b.package, &b.target, &b.file, b.line))
        });
    }

    fn file(
        &mut self,
        target: &Target,
        path: &Path,
        place: &Place,
        modules: Vec<String>,
        conditions: &[String],
    ) {
        let Ok(canonical) = path.canonicalize() else {
            return self.problem(path, None, "cannot find this file".to_owned());
        };
        if !self.may_read(&canonical) {
            let message = "is outside of the workspace and was not read".to_owned();
            return self.problem(path, None, message);
        }
        if modules.len() > DEEPEST {
            return self.problem(path, None, format!("more than {DEEPEST} modules in each other"));
        }
        if !self.known.insert(canonical) {
            return;
        }
        let shown = self.shown(path);
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => return self.problem(path, None, format!("cannot read this file: {error}")),
        };
        let context = Context {
            package: &self.package.name,
            target: target.label(),
            file: shown,
            foreign: &self.foreign,
            scope: self.scope,
        };
        let submodules = Reader::read(&text, context, modules, conditions, self.found);
        // The spans of the file are no longer needed, so their memory is freed.
        proc_macro2::extra::invalidate_current_thread_spans();
        for submodule in submodules {
            self.submodule(target, place, &submodule);
        }
    }

    fn submodule(&mut self, target: &Target, place: &Place, submodule: &Submodule) {
        let Resolved { files, expected } = place.resolve(submodule);
        for (path, place) in &files {
            self.file(target, path, place, submodule.path.clone(), &submodule.conditions);
        }
        // If a module exists only under a condition, its file may be missing, because a build may create it. This is not a
        // problem.
        if files.is_empty() && submodule.conditions.is_empty() {
            self.problem(&expected, None, "cannot find this file of a module".to_owned());
        }
    }

    fn may_read(&self, canonical: &Path) -> bool {
        let roots = [self.workspace.root.as_path(), self.package.folder()];
        roots.iter().any(|root| root.canonicalize().is_ok_and(|root| canonical.starts_with(root)))
    }

    /// A path relative to the workspace, with slashes.
    fn shown(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.workspace.root).unwrap_or(path);
        path.to_string_lossy().replace('\\', "/")
    }

    fn problem(&mut self, path: &Path, line: Option<usize>, message: String) {
        let file = self.shown(path);
        self.found.problems.push(Problem { kind: Kind::Source, file, line, message });
    }
}
