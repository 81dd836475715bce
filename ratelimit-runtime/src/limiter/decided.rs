//! What a decision returns: the decisions and who made them, or what the call still waits for.

use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::store::{Decisions, PendingReply};
use std::ops::Deref;
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decided<D = Decisions> {
    pub(crate) decisions: D,
    pub(crate) source: Source,
}

/// Decisions that stay where the store has written them.
pub(crate) type DecidedRef<'d> = Decided<&'d [Decision]>;

impl Decided {
    pub(crate) fn borrowed(&self) -> DecidedRef<'_> {
        Decided { decisions: &self.decisions, source: self.source }
    }
}

impl<'d> DecidedRef<'d> {
    pub(super) const fn by_store(decisions: &'d [Decision]) -> Self {
        Self { decisions, source: Source::Store }
    }

    pub(super) fn to_owned(self) -> Decided {
        Decided { decisions: self.decisions.iter().copied().collect(), source: self.source }
    }
}

impl<D: Deref<Target = [Decision]>> Decided<D> {
    /// Whether the limits have decided, and not only the failure policy.
    pub(crate) fn is_by_limits(&self) -> bool {
        self.source != Source::Nobody
    }

    /// The position of the refusal with the longest wait, if there is one.
    #[inline]
    pub(crate) fn refused(&self) -> Option<usize> {
        match &*self.decisions {
            [decision] => (!decision.allowed()).then_some(0),
            _ => self.longest_refusal(),
        }
    }

    fn longest_refusal(&self) -> Option<usize> {
        let wait = |decision: &Decision| decision.retry_after().unwrap_or(Duration::MAX);
        let refused = self.decisions.iter().enumerate().filter(|(_, decision)| !decision.allowed());
        // `max_by_key` returns the last of equal elements, so reversing makes it the first.
        refused.rev().max_by_key(|(_, decision)| wait(decision)).map(|(at, _)| at)
    }
}

/// What is made of decisions that are ready, or what they wait for.
pub(super) enum Begun<T> {
    Ready(T),
    /// The call waits for leased units.
    Leasing(PendingReply<Decided>),
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
