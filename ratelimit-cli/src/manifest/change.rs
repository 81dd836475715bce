//! Compares a committed manifest with the sources.

use super::{Entry, shown};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The changes from the committed limits to the limits of the sources, one sentence each. Line numbers are ignored.
pub(crate) fn changes(committed: &[Entry], now: &[Entry]) -> Vec<String> {
    let mut before = by_name(committed);
    let mut changes = Vec::new();
    for (key, entries) in by_name(now) {
        let mut old = before.remove(&key).unwrap_or_default().into_iter();
        for entry in entries {
            match old.next() {
                Some(old) => changes.extend(changed(old, entry)),
                None => changes.push(added(entry)),
            }
        }
        changes.extend(old.map(removed));
    }
    changes.extend(before.into_values().flatten().map(removed));
    changes
}

/// Groups the limits by function and name. A group may have several limits, under different conditions.
fn by_name(entries: &[Entry]) -> BTreeMap<[&str; 4], Vec<&Entry>> {
    let mut all: BTreeMap<_, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        let key = [&entry.package, &entry.target, &entry.function, &entry.name].map(String::as_str);
        all.entry(key).or_default().push(entry);
    }
    all
}

fn added(entry: &Entry) -> String {
    let limit = format!("{}, by {}", entry.limit(), entry.caller());
    format!("new      `{}`: {limit}  ({}, {})", entry.name, entry.function, entry.place())
}

fn removed(entry: &Entry) -> String {
    format!("removed  `{}`: {}  ({}, {})", entry.name, entry.limit(), entry.function, entry.place())
}

/// Describes each field that differs, with its old and its new text. `None` if no field differs.
fn changed(old: &Entry, new: &Entry) -> Option<String> {
    let (before, now) = (as_fields(old), as_fields(new));
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let differing = names.into_iter().filter(|name| before.get(*name) != now.get(*name));
    let differing =
        differing.map(|name| format!("{name} from {} to {}", text(before.get(name)), text(now.get(name))));
    let differing = differing.collect::<Vec<_>>().join(", ");
    let changed = || format!("changed  `{}`: {differing}  ({}, {})", new.name, new.function, new.place());
    (!differing.is_empty()).then(changed)
}

fn as_fields(entry: &Entry) -> Map<String, Value> {
    match serde_json::to_value(entry.lasting()) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

fn text(value: Option<&Value>) -> String {
    value.map_or_else(|| "none".to_owned(), shown)
}
