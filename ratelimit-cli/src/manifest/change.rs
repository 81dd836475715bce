//! Compares a committed manifest with the sources.

use super::{Entry, shown};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;

/// A change of one limit.
#[derive(Debug)]
pub(crate) enum Change<'m> {
    New(&'m Entry),
    Removed(&'m Entry),
    /// The entry of the sources, and each field with its old and its new text.
    Changed(&'m Entry, Vec<(String, String, String)>),
}

/// The changes from the committed limits to the limits of the sources. Lines are ignored.
pub(crate) fn changes<'m>(committed: &'m [Entry], now: &'m [Entry]) -> Vec<Change<'m>> {
    let mut before = by_function(committed);
    let mut changes = Vec::new();
    for (key, entries) in by_function(now) {
        let mut old = before.remove(&key).unwrap_or_default();
        let mut new = Vec::new();
        // Limits with an unchanged name are paired first, and the others in their order.
        for entry in entries {
            match old.iter().position(|old| old.name == entry.name) {
                Some(at) => changes.extend(changed(old.remove(at), entry)),
                None => new.push(entry),
            }
        }
        let mut old = old.into_iter();
        for entry in new {
            match old.next() {
                Some(old) => changes.extend(changed(old, entry)),
                None => changes.push(Change::New(entry)),
            }
        }
        changes.extend(old.map(Change::Removed));
    }
    changes.extend(before.into_values().flatten().map(Change::Removed));
    changes
}

type Key<'m> = (&'m str, &'m str, &'m str);

fn by_function(entries: &[Entry]) -> BTreeMap<Key<'_>, Vec<&Entry>> {
    let mut all: BTreeMap<_, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        let key = (entry.package.as_str(), entry.target.as_str(), entry.function.as_str());
        all.entry(key).or_default().push(entry);
    }
    all
}

fn changed<'m>(old: &Entry, new: &'m Entry) -> Option<Change<'m>> {
    let (old, fields) = (as_fields(old), as_fields(new));
    let mut names: Vec<&String> = old.keys().chain(fields.keys()).collect();
    names.sort();
    names.dedup();
    let differing = names.into_iter().filter(|name| old.get(*name) != fields.get(*name));
    let differing = differing.map(|name| (name.clone(), text(old.get(name)), text(fields.get(name))));
    let differing: Vec<_> = differing.collect();
    (!differing.is_empty()).then_some(Change::Changed(new, differing))
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

impl fmt::Display for Change<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::New(entry) => {
                write!(f, "new      `{}`: {}, by {}", entry.name, entry.limit(), entry.caller())
            }
            Self::Removed(entry) => write!(f, "removed  `{}`: {}", entry.name, entry.limit()),
            Self::Changed(entry, fields) => {
                write!(f, "changed  `{}`:", entry.name)?;
                for (at, (name, old, new)) in fields.iter().enumerate() {
                    write!(f, "{} {name} from {old} to {new}", if at == 0 { "" } else { "," })?;
                }
                Ok(())
            }
        }?;
        let (Self::New(entry) | Self::Removed(entry) | Self::Changed(entry, _)) = self;
        write!(f, "  ({}, {})", entry.function, entry.place())
    }
}
