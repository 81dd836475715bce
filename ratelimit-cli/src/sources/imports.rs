//! Finds the names by which a file can write the attribute.

use std::collections::HashSet;
use syn::visit::Visit;
use syn::{ItemUse, Path, UseTree};

/// The name of the attribute in its crate.
const ATTRIBUTE: &str = "rate_limit";

/// The imports of a file, in all its scopes.
#[derive(Debug)]
pub(super) struct Imports<'i> {
    /// The crates that cannot re-export the attribute.
    foreign: &'i HashSet<String>,
    /// The names of `use ..::rate_limit as name`.
    names: HashSet<String>,
    /// Whether `rate_limit` is imported from a foreign crate.
    is_foreign: bool,
}

impl<'i> Imports<'i> {
    pub(super) fn of(file: &syn::File, foreign: &'i HashSet<String>) -> Self {
        let mut imports = Self { foreign, names: HashSet::new(), is_foreign: false };
        imports.visit_file(file);
        imports
    }

    /// Whether a path can refer to the attribute: it ends in `rate_limit` and does not begin in a foreign crate.
    pub(super) fn are_for(&self, path: &Path) -> bool {
        let Some(last) = path.segments.last() else { return false };
        if path.segments.len() == 1 {
            let plain = last.ident == ATTRIBUTE && !self.is_foreign;
            return plain || self.names.contains(&last.ident.to_string());
        }
        last.ident == ATTRIBUTE && !self.foreign.contains(&path.segments[0].ident.to_string())
    }

    fn import(&mut self, tree: &UseTree, first: Option<&str>) {
        match tree {
            UseTree::Path(path) => {
                let name = path.ident.to_string();
                self.import(&path.tree, first.or(Some(&name)));
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, first)),
            UseTree::Name(name) if name.ident == ATTRIBUTE => {
                self.is_foreign |= first.is_some_and(|first| self.foreign.contains(first));
            }
            UseTree::Rename(rename)
                if rename.ident == ATTRIBUTE && first.is_none_or(|first| !self.foreign.contains(first)) =>
            {
                self.names.insert(rename.rename.to_string());
            }
            UseTree::Rename(rename) if rename.rename == ATTRIBUTE => self.is_foreign = true,
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Imports<'_> {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.import(&item.tree, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(source: &str, paths: &[&str]) -> Vec<bool> {
        let foreign = HashSet::from(["other".to_owned()]);
        let file = syn::parse_file(source).unwrap();
        let imports = Imports::of(&file, &foreign);
        paths.iter().map(|path| imports.are_for(&syn::parse_str(path).unwrap())).collect()
    }

    #[test]
    fn the_attribute_is_known_by_its_imports() {
        let all =
            ["rate_limit", "ratelimit::rate_limit", "::my::rate_limit", "limit", "other::rate_limit", "get"];
        assert_eq!(known("", &all), [true, true, true, false, false, false]);
        assert!(known("use ratelimit::{Limit, rate_limit as limit};", &all)[3]);
        assert!(known("fn f() { use crate::rate_limit as limit; }", &all)[3]);
        assert!(!known("use other::rate_limit;", &all)[0]);
        assert!(!known("use other::rate_limit as limit;", &all)[3]);
        assert_eq!(known("use other::limit as rate_limit;", &all)[..2], [false, true]);
    }
}
