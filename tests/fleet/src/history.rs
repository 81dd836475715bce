//! Records the outcome of every call and override, with the times of the simulation.

use crate::schedule::{Call, Change, Hand, How, Kind, Then, other_caller};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The calls and overrides that have ended so far.
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
    /// The error of the command. After an error, it is unknown whether the store has saved the override.
    pub(crate) error: Option<String>,
}

/// One call.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// The index of the step in the schedule.
    pub(crate) step: usize,
    /// The number of the process. No other process of the run has this number.
    pub(crate) number: usize,
    pub(crate) call: Call,
    pub(crate) sent: Duration,
    pub(crate) ended: Duration,
    pub(crate) outcome: Outcome,
    /// The units that were returned or additionally taken after the decision.
    pub(crate) adjusted: Adjusted,
    /// The times at which this change was sent and confirmed.
    pub(crate) adjusting: Option<(Duration, Duration)>,
    /// The reset-after time in the decision of an admitted call.
    pub(crate) reset: Duration,
    /// The time at which the permit was dropped.
    pub(crate) released: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Admitted,
    /// The call was refused. Contains the retry-after time.
    Refused(Option<Duration>),
    /// The store did not decide in time, or the operation by hand failed.
    Unknown(String),
    /// The operation by hand has succeeded, with this result.
    Done(u32),
    /// The caller gave up, or the process was killed.
    Dropped,
}

/// The change of a charge after its decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adjusted {
    /// No change was sent, or its effect is unknown.
    Unknown,
    Gave(u32),
    Took(u32),
}

impl Record {
    /// Whether the call uses this limit for this caller.
    pub(crate) fn concerns(&self, limit: usize, who: u8) -> bool {
        let is_first = self.call.limit == limit;
        match self.call.kind {
            Kind::Stack { beside: true, .. } if is_first && other_caller(self.call.who) == who => true,
            Kind::Stack { with, .. } => self.call.who == who && (is_first || with == limit),
            _ => self.call.who == who && is_first,
        }
    }

    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.outcome, Outcome::Refused(_))
    }

    /// The fewest and the most units of the limit that the call may have taken permanently.
    pub(crate) fn units(&self) -> (u64, u64) {
        let cost = self.call.cost;
        if let Outcome::Done(units) = self.outcome {
            let taken = if self.call.kind == Kind::Hand(Hand::Penalize) { units.into() } else { 0 };
            return (taken, taken);
        }
        let (least, most) = match (self.call.kind, self.adjusted) {
            _ if self.is_refused() => (0, 0),
            (_, Adjusted::Gave(units)) => (cost.saturating_sub(units), cost.saturating_sub(units)),
            (_, Adjusted::Took(units)) => (cost + units, cost + units),
            (Kind::Charge { then: Then::Refund | Then::Later(_) }, _) => (0, cost),
            (Kind::Charge { then: Then::Settle(settled) }, _) => (cost.min(settled), cost.max(settled)),
            _ => (cost, cost),
        };
        let least = if self.outcome == Outcome::Admitted { least } else { 0 };
        (u64::from(least), u64::from(most))
    }

    /// Whether this operation by hand has succeeded.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self.outcome, Outcome::Done(_))
    }

    /// The time from the start of the call to its end.
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
    /// The count that the override sets. `None` for any other change.
    pub(crate) fn count(self) -> Option<u32> {
        if let Self::Override(count) | Self::Expiring(count, _) = self { Some(count) } else { None }
    }
}
