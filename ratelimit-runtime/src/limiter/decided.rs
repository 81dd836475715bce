//! What a decision returns: the decisions and who made them, or what the call still waits for.

use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::store::{Decisions, PendingReply, Reply};
use std::time::Duration;

/// Who decided about a call, and therefore where its units are charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// The store, also through leased units or a remembered refusal.
    Store,
    /// The memory of this process, while the store is unavailable.
    Local,
    /// Only the failure policy, so nothing was charged.
    Nobody,
}

/// The decisions about a stack, and their source.
#[derive(Debug)]
pub(crate) struct Decided {
    pub(crate) decisions: Decisions,
    pub(crate) source: Source,
}

impl Decided {
    /// The result for a call without limits.
    pub(crate) fn of_nobody() -> Self {
        Self { decisions: Decisions::new(), source: Source::Nobody }
    }

    /// Whether the limits have decided, and not only the failure policy.
    pub(crate) fn is_by_limits(&self) -> bool {
        self.source != Source::Nobody
    }

    /// The position of the refusal with the longest wait, if there is one.
    pub(crate) fn refused(&self) -> Option<usize> {
        let wait = |decision: &Decision| decision.retry_after().unwrap_or(Duration::MAX);
        let refused = self.decisions.iter().enumerate().filter(|(_, decision)| !decision.allowed());
        // `max_by_key` returns the last of equal elements, so reversing makes it the first.
        refused.rev().max_by_key(|(_, decision)| wait(decision)).map(|(at, _)| at)
    }
}

/// A decision that is ready, or what it waits for.
pub(super) enum Begun {
    Ready(Result<Decided, Error>),
    /// The call waits for leased units.
    Leasing(Reply<Decided>),
    /// The call waits for the store's reply.
    Deciding(PendingReply<Decisions>),
}

/// The error of a store that does not return one result per request.
pub(super) fn invalid_reply() -> Error {
    Error::new(
        ErrorKind::Configuration,
        "the number of results from the store differs from the number of requests",
    )
}
