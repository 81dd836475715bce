//! Models of the limiter's protocols. stateright visits all states of a model, so it checks all orders of steps, crashes, lost
//! replies and late requests.
//!
//! | module | the protocol | the code that it models |
//! |---|---|---|
//! | `single_task` | one background task at a time runs, and shows by heartbeats that it does | `limiter/single_task` |
//! | `permits` | permits are renewed, also by another runtime, and returned, also after a lost reply | `limiter/permits` |
//! | `leases` | units are taken in advance, handed out, and returned | `limiter/layers/lease` |
//!
//! Time is a number of ticks with an upper bound. Each path ends at this bound, so "eventually" means: before the bound. The
//! comment of each action names the code that it models. Each model has mistakes that a test can switch on, to see the
//! properties fail.

pub mod leases;
pub mod permits;
pub mod single_task;

use stateright::{Checker, Model};
use std::fmt::{self, Debug};
use std::hash::Hash;
use std::thread;
use std::time::{Duration, Instant};

/// The result of visiting all states of a model.
#[derive(Debug)]
pub struct Report {
    name: &'static str,
    states: usize,
    transitions: usize,
    took: Duration,
    /// The names of the properties that do not hold, each with a path to a state that shows the failure.
    pub broken: Vec<(&'static str, String)>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, states, transitions, took, broken } = self;
        write!(f, "{name}: {states} states, {transitions} transitions, in {took:.1?}")?;
        broken.iter().try_for_each(|(property, path)| write!(f, "\n  broken: {property}\n{path}"))
    }
}

/// Visits all states of a model.
pub fn check<M>(name: &'static str, model: M) -> Report
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    let start = Instant::now();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let checker = model.checker().threads(threads).spawn_bfs().join();
    let found = checker.discoveries().into_iter();
    Report {
        name,
        states: checker.unique_state_count(),
        transitions: checker.state_count(),
        took: start.elapsed(),
        broken: found.map(|(property, path)| (property, path.to_string())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::Report;

    /// Asserts that all properties hold, and prints the number of states.
    pub(crate) fn holds(report: &Report) {
        println!("{report}");
        assert!(report.broken.is_empty(), "{report}");
        assert!(report.states > 1000, "{report}");
    }

    /// Asserts that a mistake breaks a property.
    pub(crate) fn breaks(report: &Report, property: &str) {
        let is_noticed = report.broken.iter().any(|(broken, _)| *broken == property);
        assert!(is_noticed, "`{property}` is not noticed: {report}");
    }
}
