//! Finds functions that share a name and have different limits.

use super::{Entry, Kind, Numbers, Problem, Value};
use crate::sources::Workspace;
use std::collections::{HashMap, HashSet};

/// Reports each limit that differs from an earlier limit with its name in the same program. A program is a target with the
/// libraries of the workspace that it uses. Limits of tests are left out. Methods without a `key` share no state, because their type is a part of their keys.
pub(crate) fn clashes(entries: &[Entry], workspace: &Workspace) -> Vec<Problem> {
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.has_key && !entry.is_of_a_test())
    {
        by_name.entry(&entry.name).or_default().push(at);
    }
    let (mut reported, mut problems) = (HashSet::new(), Vec::new());
    for (at, entry) in entries.iter().enumerate() {
        if !entry.has_key || entry.is_of_a_test() {
            continue;
        }
        let same = by_name.get(entry.name.as_str()).map(Vec::as_slice).unwrap_or_default();
        let earlier = same.iter().take_while(|other| **other < at).map(|other| &entries[*other]);
        let mut clashing = earlier.filter(|other| {
            other.numbers.differ(&entry.numbers) && workspace.are_in_one_program(other, entry)
        });
        if let Some(other) = clashing.next()
            && reported.insert((&entry.name, entry.limit()))
        {
            problems.push(problem(other, entry));
        }
    }
    problems
}

fn problem(earlier: &Entry, entry: &Entry) -> Problem {
    let message = format!(
        "the limit `{}` is {} here and {} in {}: functions with one name share one state, so give them the same numbers, or another `key`",
        entry.name,
        entry.limit(),
        earlier.limit(),
        earlier.place()
    );
    Problem { kind: Kind::Clash, file: Some(entry.file.clone()), line: entry.line, message }
}

impl Numbers {
    /// Whether two limits are certainly different.
    fn differ(&self, other: &Self) -> bool {
        if self.limit.is_some() || other.limit.is_some() {
            return false;
        }
        let differs = |a: Option<&Value>, b: Option<&Value>| match (a, b) {
            (Some(a), Some(b)) => a.differs(b),
            (a, b) => a.is_some() != b.is_some(),
        };
        let mut arguments = self.complete().into_iter().zip(other.complete());
        arguments.any(|(a, b)| differs(a, b))
    }

    /// The values that decide about a call, with the default of `burst`.
    fn complete(&self) -> [Option<&Value>; 7] {
        let burst = self.burst.as_ref().or(self.count.as_ref());
        let [algorithm, count, time] = [&self.algorithm, &self.count, &self.time].map(Option::as_ref);
        [algorithm, count, time, burst, self.refill.as_ref(), self.borrow.as_ref(), self.wait.as_ref()]
    }
}
