//! Traffic: calls in the order of their times, and who makes them.

mod arrivals;
mod callers;
pub(crate) mod log;
mod origin;

pub(crate) use arrivals::{Arrivals, Burst};
pub(crate) use callers::{Callers, MOST_CALLERS, Skew};
pub(crate) use origin::Origin;

/// The most calls of a simulation. Each call takes 16 bytes.
pub(crate) const MOST_CALLS: u64 = 10_000_000;

/// A call of a limited function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Call {
    /// In microseconds since the start.
    pub(crate) at: u64,
    /// The position of the caller among the callers.
    pub(crate) caller: u32,
}

#[derive(Debug)]
pub(crate) struct Traffic {
    /// A description in a few words, for titles.
    pub(crate) words: String,
    /// In the order of their times.
    pub(crate) calls: Vec<Call>,
    pub(crate) callers: Callers,
    /// From the start to the end, in microseconds, at least 1.
    pub(crate) length: u64,
    pub(crate) origin: Origin,
    /// What a reader of the results has to know about the traffic, one sentence each.
    pub(crate) notes: Vec<String>,
}
