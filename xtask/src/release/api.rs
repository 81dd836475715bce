//! Types of other crates in the public API. A breaking release of such a crate is a breaking release of ours, so each is on a list.

use super::surface::{Surface, list};
use super::{rustdoc, semver};
use crate::progress::Verdict;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The crates whose types users may meet, and where.
const PERMITTED: [(&str, &str); 0] = [];

pub(crate) fn check() -> Result<Verdict, String> {
    let mut found = BTreeMap::<String, BTreeSet<String>>::new();
    for (package, library) in semver::PUBLIC {
        let json = rustdoc::json(package, library)?;
        for (other, path) in foreign(&Surface::of(&json)) {
            found.entry(other).or_default().insert(format!("{library}::{path}"));
        }
    }
    let mut mistakes = Vec::new();
    for (other, paths) in &found {
        let where_from = PERMITTED.iter().find(|(name, _)| name == other).map(|(_, why)| *why);
        println!("  {other:<16}{:>4} items  {}", paths.len(), where_from.unwrap_or("not on the list"));
        if where_from.is_none() {
            mistakes.extend(paths.iter().map(|path| format!("{path} shows a type of `{other}`")));
        }
    }
    let gone = PERMITTED.iter().filter(|(name, _)| !found.contains_key(*name));
    mistakes.extend(gone.map(|(name, _)| format!("no public item shows `{name}`: remove it from the list")));
    if mistakes.is_empty() { Ok(Verdict::Passed) } else { Err(mistakes.join("\n")) }
}

/// The crates that the signatures of the public items name, each with an item.
fn foreign(surface: &Surface<'_>) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for item in &surface.items {
        let mut ids = Vec::new();
        ids_in(&item.value["inner"], &mut ids);
        for block in surface.implementations(item.value) {
            ids_in(&block["inner"], &mut ids);
            let trait_items = list(&block["inner"]["impl"]["items"]).filter_map(|id| surface.get(id));
            trait_items.for_each(|member| ids_in(&member["inner"], &mut ids));
        }
        let others = ids.into_iter().filter_map(|id| surface.library(id));
        let others = others.filter(|name| !["std", "core", "alloc"].contains(name));
        found.extend(others.map(|name| (name.to_owned(), item.path.clone())));
    }
    found
}

/// The ids of all paths in a signature. A path has an id and its text; an import has an id and its source.
fn ids_in(value: &Value, ids: &mut Vec<u64>) {
    match value {
        Value::Object(fields) => {
            let is_path = fields.contains_key("path") || fields.contains_key("source");
            ids.extend(fields.get("id").filter(|_| is_path).and_then(Value::as_u64));
            fields.values().for_each(|field| ids_in(field, ids));
        }
        Value::Array(values) => values.iter().for_each(|value| ids_in(value, ids)),
        _ => {}
    }
}
