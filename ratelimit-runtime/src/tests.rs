//! A test of `lib.rs`: what is exported at the root fits on a page, and nothing is exported twice.

use std::collections::HashSet;

/// The maximum number of names at the root, without the names in its modules.
const MOST: usize = 30;

/// Returns the names in all exports that begin with the text `export`. For `limiter::{Charge, current::scope}`, these are
/// `Charge` and `scope`.
fn names<'s>(source: &'s str, export: &str) -> Vec<&'s str> {
    let exports = source.split(export).skip(1).filter_map(|rest| rest.split(';').next());
    let lists = exports.map(|path| path.split_once('{').map_or(path, |(_, list)| list.trim_end_matches('}')));
    let names = lists.flat_map(|list| list.split(',')).filter_map(|path| path.rsplit("::").next());
    names.map(str::trim).filter(|name| !name.is_empty() && *name != "*").collect()
}

#[test]
fn the_root_has_few_names_and_each_once() {
    let source = include_str!("lib.rs");
    let root = names(source, "\npub use ");
    let in_files = [include_str!("body/mod.rs"), include_str!("identity/mod.rs")];
    let in_files = in_files.map(|source| names(source, "\npub use ")).concat();
    let modules = [names(source, "\n    pub use "), in_files].concat();
    assert!(root.contains(&"RateLimiter") && root.contains(&"scope"), "{root:?}");
    assert!(root.len() <= MOST, "{} names at the root: {root:?}", root.len());
    assert!(modules.contains(&"KeyWriter") && modules.contains(&"LimitChange"), "{modules:?}");
    let mut all = HashSet::new();
    for name in root.into_iter().chain(modules) {
        assert!(all.insert(name), "`{name}` is exported twice");
    }
}
