//! Finds functions that share a name and have different limits.

use crate::manifest::{Entry, Kind, Problem};
use crate::sources::{Workspace, needs_test};
use ratelimit_syntax::model::Number;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Reports each limit that differs from an earlier limit with the same name in the same program. A program is a target with the
/// libraries of the workspace that it uses. Limits of tests are left out. Methods without a `key` share no state, because a key
/// of a method contains its type.
pub(super) fn clashes(entries: &[Entry], workspace: &Workspace) -> Vec<Problem> {
    let mut by_name: HashMap<&str, Vec<&Entry>> = HashMap::new();
    let (mut reported, mut problems) = (HashSet::new(), Vec::new());
    for entry in entries.iter().filter(|entry| entry.has_key && !is_of_a_test(entry)) {
        let earlier = by_name.entry(&entry.name).or_default();
        let clashing =
            earlier.iter().find(|other| differ(other, entry) && workspace.are_in_one_program(other, entry));
        if let Some(other) = clashing
            && reported.insert((&entry.name, entry.limit()))
        {
            problems.push(problem(other, entry));
        }
        earlier.push(entry);
    }
    problems
}

/// Whether the limit belongs to a test or a benchmark, which usually has a separate limiter.
fn is_of_a_test(entry: &Entry) -> bool {
    let kind = entry.target.split_once(' ').map_or(entry.target.as_str(), |(kind, _)| kind);
    matches!(kind, "test" | "bench") || entry.cfg.as_deref().is_some_and(needs_test)
}

fn problem(earlier: &Entry, entry: &Entry) -> Problem {
    // The key of a state names the algorithm.
    let why = if earlier.arguments.get("algorithm") == entry.arguments.get("algorithm") {
        "share one state, so give them the same numbers, or another `key`"
    } else {
        "and different algorithms do not share a state, so none counts the calls of the other: give them the same algorithm and numbers, or another `key`"
    };
    let message = format!(
        "the limit `{}` is {} here and {} in {}: functions with one name {why}",
        entry.name,
        entry.limit(),
        earlier.limit(),
        earlier.place()
    );
    Problem { kind: Kind::Clash, file: entry.file.clone(), line: entry.line, message }
}

/// Whether two limits are certainly different. The values of expressions are unknown.
fn differ(one: &Entry, other: &Entry) -> bool {
    let (one, other) = (&one.arguments, &other.arguments);
    if one.contains_key("limit") || other.contains_key("limit") {
        return false;
    }
    // These arguments affect decisions. `lease` does not. `burst` defaults to `count`.
    let numbers = Number::ALL.into_iter().filter(|number| *number != Number::Lease);
    numbers.map(Number::as_str).chain(["algorithm"]).any(|name| {
        let value = |arguments: &Map<String, Value>| {
            let default = (name == "burst").then(|| arguments.get("count")).flatten();
            arguments.get(name).or(default).cloned().unwrap_or_default()
        };
        let (one, other) = (value(one), value(other));
        let is_known = !one.is_object() && !other.is_object();
        one.is_null() != other.is_null() || (is_known && one != other)
    })
}
