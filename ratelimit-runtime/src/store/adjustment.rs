//! `Adjustment`: a change of the units, the block or the pause of a key, without a decision.

use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::limit::Limit;

/// A change of units after a decision, or of the block or the pause of a key.
#[derive(Clone, Debug)]
#[must_use]
pub struct Adjustment {
    key: StoreKey,
    limit: Limit,
    units: u32,
    change: Change,
}

/// The kind of an [`Adjustment`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// Returns units of the charge with this stamp ([`Decision::stamp`](crate::Decision::stamp)), at most the units that are
    /// still in use. If the charge has expired, or the key was reset after the charge, returns no units. For a permit, the stamp is the id of the permit, and the
    /// number of units is the number that the permit holds.
    Give(u64),
    /// Charges units even if they are not free. The debt is at most one capacity. Concurrency limits do not support it.
    Take,
    /// Changes nothing. The result is the number of units in use: the capacity without the free units, which is more than the
    /// capacity in debt, but at most 2^32 - 1. After a [`Take`](Self::Take) of the same key in the same call, the units of this
    /// charge are among them. Blocks and pauses do not count. Concurrency limits do not support it.
    Used,
    /// Restarts the lease of the permit with this id, unless the lease has ended.
    Renew(u64),
    /// Blocks the callers of the key for this time in ms, from 1 ms to 366 days, even if units are free. Replaces an earlier
    /// block or pause. The result is 1. Sliding logs and concurrency limits do not support it.
    Block(u64),
    /// Ends a block or a pause. The next block starts with the first step of [`Limit::block`]. The result is 1 if the callers
    /// were blocked or the limit was paused, otherwise 0. Sliding logs and concurrency limits do not support it.
    Open,
    /// Pauses the limit for this time in ms, from 1 ms to 366 days. Also uses up the limit until the end of the pause, so that
    /// calls pass at the limit's rate afterwards. If the key already has a pause or a block that lasts longer, that one stays.
    /// Requests whose limit has a [`wait`](Limit::wait) may wait for the end of a pause. The result is 1, or 0 if the limit
    /// refuses every request. Sliding logs and concurrency limits do not support it.
    Pause(u64),
    /// Changes nothing. The result is the time in ms until a block or a pause ends, at most 2^32 - 1. Sliding logs and concurrency
    /// limits do not support it.
    Closed,
}

impl Adjustment {
    /// Creates a change of `units` under a key.
    pub const fn new(key: StoreKey, limit: Limit, units: u32, change: Change) -> Self {
        Self { key, limit, units, change }
    }

    /// The key under which the state is stored.
    pub const fn key(&self) -> &StoreKey {
        &self.key
    }

    /// The limit by which the units were charged.
    pub const fn limit(&self) -> &Limit {
        &self.limit
    }

    /// The maximum number of units that change. A change of a block or a pause ignores this number.
    pub const fn units(&self) -> u32 {
        self.units
    }

    /// The kind of the change.
    pub const fn change(&self) -> Change {
        self.change
    }

    /// The largest number that a store may return for this adjustment.
    pub(crate) const fn most(&self) -> u32 {
        match self.change {
            Change::Give(_) | Change::Take | Change::Renew(_) => self.units,
            Change::Block(_) | Change::Open | Change::Pause(_) => 1,
            Change::Closed | Change::Used => u32::MAX,
        }
    }

    /// Checks whether this change can be made to this limit. A store checks all adjustments before it makes the first one.
    ///
    /// # Errors
    ///
    /// Returns [`Configuration`](ErrorKind::Configuration) if the change takes permits without a decision, or renews units that
    /// are not permits. The same error is returned if the state of the limit has no place for a block or a pause, or if the
    /// block or the pause does not last from 1 ms to 366 days.
    pub fn check(&self) -> Result<(), Error> {
        const LONGEST_BLOCK_MS: u64 = 366 * 86_400_000;
        let message = match (self.change, self.limit.is_concurrency()) {
            (Change::Block(_) | Change::Open | Change::Pause(_) | Change::Closed, _)
                if !self.limit.has_gate() =>
            {
                "a sliding log or a concurrency limit cannot be blocked: its state has no place for a block"
            }
            (Change::Block(ms) | Change::Pause(ms), _) if !(1..=LONGEST_BLOCK_MS).contains(&ms) => {
                "a block or a pause must last from 1 ms to 366 days"
            }
            (Change::Used, true) => "the units of permits are known to `peek` only",
            (Change::Take, true) => "a permit cannot be taken without a decision",
            (Change::Renew(_), false) => "only permits of a concurrency limit can be renewed",
            _ => return Ok(()),
        };
        Err(Error::new(ErrorKind::Configuration, message))
    }
}
