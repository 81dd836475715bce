//! What a store answers.

use crate::limit::Limit;
use std::time::Duration;

/// What the store has decided about one call.
///
/// | | counter | token bucket |
/// |---|---|---|
/// | [`limit`](Self::limit) | `count` | `burst` |
/// | [`remaining`](Self::remaining) | units left in the window | whole tokens left |
/// | [`retry_after`](Self::retry_after) | until the window ends | until enough tokens have come back |
/// | [`reset_after`](Self::reset_after) | until the window ends | until the bucket is full |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    allowed: bool,
    limit: u32,
    remaining: u32,
    retry_after: Option<Duration>,
    reset_after: Duration,
}

impl Decision {
    /// The decision that lets a call pass; for authors of a [`Store`](crate::Store).
    #[must_use]
    pub const fn allow(limit: &Limit, remaining: u32, reset_after: Duration) -> Self {
        Self { allowed: true, limit: limit.capacity(), remaining, retry_after: None, reset_after }
    }

    /// The decision that refuses a call; for authors of a [`Store`](crate::Store). `retry_after` is `None` if
    /// it can never pass.
    #[must_use]
    pub const fn refuse(
        limit: &Limit,
        remaining: u32,
        retry_after: Option<Duration>,
        reset_after: Duration,
    ) -> Self {
        Self { allowed: false, limit: limit.capacity(), remaining, retry_after, reset_after }
    }

    /// Whether the call may go on.
    #[must_use]
    pub const fn allowed(&self) -> bool {
        self.allowed
    }

    /// The most units that the limit can hold at once.
    #[must_use]
    pub const fn limit(&self) -> u32 {
        self.limit
    }

    /// Units that are left after this call, from 0 to [`limit`](Self::limit).
    #[must_use]
    pub const fn remaining(&self) -> u32 {
        self.remaining
    }

    /// How long a refused caller has to wait: at least 1 ms, rounded up, and after exactly that time the same
    /// cost passes if nobody else came. `None` on a refusal means never: the cost is above what the limit can
    /// hold. `None` on an allowed call: there is nothing to wait for.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// How long until nothing of the limit is in use any more, if nobody else comes; zero if nothing is in use.
    #[must_use]
    pub const fn reset_after(&self) -> Duration {
        self.reset_after
    }
}
