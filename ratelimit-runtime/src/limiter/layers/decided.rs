//! `Decided`: the decisions about a stack, and their source.

use crate::decision::{Decision, Source};
use crate::error::{Error, ErrorKind};
use crate::store::Decisions;
use std::time::Duration;

/// The decisions about a stack, and their source.
#[derive(Clone, Debug)]
pub(crate) struct Decided {
    pub(crate) decisions: Decisions,
    pub(crate) source: Source,
}

impl Decided {
    /// Copies borrowed decisions.
    pub(in crate::limiter) fn copy((source, decisions): (Source, &[Decision])) -> Self {
        Self { decisions: decisions.iter().copied().collect(), source }
    }
}

/// Returns the position of the refusal with the longest wait. `None` if nothing was refused.
#[inline]
pub(in crate::limiter) fn longest_refusal(decisions: &[Decision]) -> Option<usize> {
    match decisions {
        [decision] => (!decision.is_allowed()).then_some(0),
        _ => longest_of(decisions),
    }
}

fn longest_of(decisions: &[Decision]) -> Option<usize> {
    let wait = |decision: &Decision| decision.retry_after().unwrap_or(Duration::MAX);
    let refused = decisions.iter().enumerate().filter(|(_, decision)| !decision.is_allowed());
    // `max_by_key` returns the last of equal elements, so reversing makes it the first.
    refused.rev().max_by_key(|(_, decision)| wait(decision)).map(|(at, _)| at)
}

/// Returns the error of a store that does not return one result per request.
pub(in crate::limiter) fn invalid_reply() -> Error {
    Error::new(
        ErrorKind::Configuration,
        "the number of results from the store differs from the number of requests",
    )
}
