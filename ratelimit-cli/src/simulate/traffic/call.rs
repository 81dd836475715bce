//! Calls, and traffic as a list of calls.

use super::callers::Caller;
use super::origin::Origin;

/// The maximum number of calls of a simulation. Each call takes 16 bytes.
pub(crate) const MOST_CALLS: u64 = 10_000_000;

/// A call of a limited function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Call {
    /// The time since the start in microseconds.
    pub(crate) at: u64,
    /// The position of the caller among the callers.
    pub(crate) caller: u32,
}

/// What one call was allowed to cost, what it has cost, and how many seconds it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spent {
    pub(crate) ceiling: u32,
    pub(crate) used: u32,
    pub(crate) seconds: u32,
}

#[derive(Debug)]
pub(crate) struct Traffic {
    /// A description in a few words, for titles.
    pub(crate) words: String,
    /// The calls in the order of their times.
    pub(crate) calls: Vec<Call>,
    /// What each call has cost, in the order of the calls. Empty if the log does not say it.
    pub(crate) spent: Vec<Spent>,
    /// The identities. The identities of a log are in the order of their first calls.
    pub(crate) callers: Vec<Caller>,
    /// The time from the start to the end in microseconds, at least 1.
    pub(crate) length: u64,
    pub(crate) origin: Origin,
    /// Sentences that a reader of the results must know.
    pub(crate) notes: Vec<String>,
}
