//! The answer of a store to one request.

use crate::limit::Limit;
use std::time::Duration;

/// What a store decided about one call.
///
/// | | [`limit`](Self::limit) | [`remaining`](Self::remaining) | [`retry_after`](Self::retry_after) | [`reset_after`](Self::reset_after) |
/// |---|---|---|---|---|
/// | counter | `count` | units left in the window | until the window ends | until the window ends |
/// | token bucket | `burst + borrow` | whole tokens left, those to borrow included | until enough tokens have come back | until the bucket is full |
/// | sliding window | `count` | units left in the window | until the window has slid far enough | until all cells count no more |
/// | sliding log | `count` | units left in the window | until enough units are older than `time` | until all units are |
/// | leaky bucket, meter | `burst` | whole units that still fit | until enough has leaked | until it is empty |
/// | leaky bucket, queue | places | places left | until a call could leave | until the queue is empty |
/// | concurrency | `count` | permits left | until the first lease ends, at most | until the last lease ends, at most |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a decision limits nothing unless `allowed()` is looked at"]
pub struct Decision {
    allowed: bool,
    limit: u32,
    remaining: u32,
    delay: Duration,
    retry_after: Option<Duration>,
    reset_after: Duration,
    stamp: u64,
}

impl Decision {
    /// The decision that lets a call pass; for authors of a [`Store`](crate::store::Store).
    pub const fn allow(limit: &Limit, remaining: u32, reset_after: Duration) -> Self {
        Self {
            allowed: true,
            limit: limit.capacity(),
            remaining,
            delay: Duration::ZERO,
            retry_after: None,
            reset_after,
            stamp: 0,
        }
    }

    /// The decision that refuses a call; for authors of a [`Store`](crate::store::Store). `retry_after` is `None` if
    /// it can never pass.
    pub const fn refuse(
        limit: &Limit,
        remaining: u32,
        retry_after: Option<Duration>,
        reset_after: Duration,
    ) -> Self {
        Self { allowed: false, retry_after, ..Self::allow(limit, remaining, reset_after) }
    }

    /// The same decision for a turn after so long, with what finds its charge again; for authors of a
    /// [`Store`](crate::store::Store).
    pub const fn in_turn(self, delay: Duration, stamp: u64) -> Self {
        Self { delay, stamp, ..self }
    }

    /// The refusal of one that would have had to wait so long.
    pub(crate) const fn refused_until(self, retry_after: Duration) -> Self {
        let retry_after = Some(retry_after);
        Self { allowed: false, delay: Duration::ZERO, retry_after, stamp: 0, ..self }
    }

    /// Whether the call may go on, after its [`delay`](Self::delay).
    #[must_use]
    pub const fn allowed(&self) -> bool {
        self.allowed
    }

    /// How long the call has to wait for its turn, which is kept for it. Zero unless the limit has a
    /// [`wait`](Limit::wait) and the caller waits.
    #[must_use]
    pub const fn delay(&self) -> Duration {
        self.delay
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
    /// hold. `None` on an allowed call: there is nothing to wait for. For concurrency it is an upper bound.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// How long until nothing of the limit is in use any more, if nobody else comes; zero if nothing is in use.
    #[must_use]
    pub const fn reset_after(&self) -> Duration {
        self.reset_after
    }

    /// What finds the charge of this call again, in the store that has decided; 0 where nothing was charged.
    #[must_use]
    pub const fn stamp(&self) -> u64 {
        self.stamp
    }
}
