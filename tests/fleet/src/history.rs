//! What every call experienced, in the time of the simulation.

use crate::schedule::{Call, Change, How, Kind, Then};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What has happened so far.
#[derive(Clone, Default)]
pub(crate) struct History(Arc<Mutex<Happened>>);

#[derive(Clone, Debug, Default)]
pub(crate) struct Happened {
    /// All calls that have ended.
    pub(crate) calls: Vec<Record>,
    /// All overrides that were set or removed.
    pub(crate) changes: Vec<Changed>,
}

impl History {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Happened> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An override was set or removed.
#[derive(Clone, Debug)]
pub(crate) struct Changed {
    pub(crate) step: usize,
    pub(crate) change: Change,
    pub(crate) sent: Duration,
    pub(crate) ended: Duration,
    /// Why it is not known whether the store has saved it.
    pub(crate) error: Option<String>,
}

/// One call.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// The position in the schedule.
    pub(crate) step: usize,
    /// The number of the process, which is never used again.
    pub(crate) number: usize,
    pub(crate) call: Call,
    pub(crate) sent: Duration,
    pub(crate) ended: Duration,
    pub(crate) outcome: Outcome,
    /// The units that were given back, or taken in addition, after the decision.
    pub(crate) adjusted: Adjusted,
    /// The time after which all is free, as an admitted call was told.
    pub(crate) reset: Duration,
    /// When a permit was given back.
    pub(crate) released: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Admitted,
    /// With the time after which it would pass.
    Refused(Option<Duration>),
    /// The store did not decide in time.
    Unknown(String),
    /// The caller gave up, or the process was killed.
    Dropped,
}

/// What has become of a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adjusted {
    /// Nothing was sent, or nothing is known about what was sent.
    Unknown,
    Gave(u32),
    Took(u32),
}

impl Record {
    /// Whether the call is about this limit and caller.
    pub(crate) fn concerns(&self, limit: usize, who: u8) -> bool {
        let is_stacked = matches!(self.call.kind, Kind::Stack { with } if with == limit);
        self.call.who == who && (self.call.limit == limit || is_stacked)
    }

    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.outcome, Outcome::Refused(_))
    }

    /// How many units of the limit the call has taken for good: at least, and at most.
    pub(crate) fn units(&self) -> (u64, u64) {
        let cost = self.call.cost;
        let (least, most) = match (self.call.kind, self.adjusted) {
            _ if self.is_refused() => (0, 0),
            (_, Adjusted::Gave(units)) => (cost.saturating_sub(units), cost.saturating_sub(units)),
            (_, Adjusted::Took(units)) => (cost + units, cost + units),
            (Kind::Charge { then: Then::Refund }, _) => (0, cost),
            (Kind::Charge { then: Then::Settle(settled) }, _) => (cost.min(settled), cost.max(settled)),
            _ => (cost, cost),
        };
        let least = if self.outcome == Outcome::Admitted { least } else { 0 };
        (u64::from(least), u64::from(most))
    }

    /// How long the caller waited.
    pub(crate) fn took(&self) -> Duration {
        self.ended.saturating_sub(self.sent)
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Call { limit, who, cost, keep, kind, .. } = self.call;
        write!(
            f,
            "{:>12} us step {} process {} limit {limit} caller {who} {kind:?} x{cost}: {:?} after {} us",
            self.sent.as_micros(),
            self.step,
            self.number,
            self.outcome,
            self.took().as_micros()
        )?;
        if keep > 0 {
            write!(f, ", keeps {keep}")?;
        }
        if self.adjusted != Adjusted::Unknown {
            write!(f, ", {:?}", self.adjusted)?;
        }
        match self.released {
            Some(at) => write!(f, ", released at {} us", at.as_micros()),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Change { process, limit, how } = self.change;
        let (sent, ended) = (self.sent.as_micros(), self.ended.as_micros());
        write!(
            f,
            "{sent:>12} us step {} process {process} limit {limit} {how:?}: {:?} at {ended} us",
            self.step, self.error
        )
    }
}

impl How {
    /// The count that an override sets.
    pub(crate) fn count(self) -> Option<u32> {
        if let Self::Override(count) = self { Some(count) } else { None }
    }
}
