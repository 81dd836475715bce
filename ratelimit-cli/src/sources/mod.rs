//! Reads the attributes in the sources of a workspace with the parser of the attribute itself. Nothing is built.
//!
//! Cargo names the packages and their targets. From the root of each target, the reader follows the `mod` declarations to the
//! other files, as the compiler does. It needs them because the name of a limit without a `key` is the path of its module.

mod attributes;
mod conditions;
mod depth;
mod describe;
mod files;
mod found;
mod imports;
mod limits;
mod modules;
mod reader;
mod workspace;

pub(crate) use conditions::needs_test;
pub(crate) use found::{Found, Scope};
pub(crate) use workspace::Workspace;

use files::Files;

/// Reads the attributes of the packages with these names, or of all packages if there are no names.
pub(crate) fn read(workspace: &Workspace, packages: &[String], scope: Scope) -> Found {
    let mut found = Found::default();
    for package in workspace.packages.iter().filter(|package| package.may_have_limits()) {
        if packages.is_empty() || packages.contains(&package.name) {
            Files::new(workspace, package, scope, &mut found).read();
        }
    }
    found.problems.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    found
}
