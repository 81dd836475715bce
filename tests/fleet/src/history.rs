//! What every call experienced, in the time of the simulation.

use crate::schedule::Call;
use std::fmt;
use std::time::Duration;

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
    /// The units that were given back.
    pub(crate) refunded: u32,
    /// When a permit was given back.
    pub(crate) released: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Admitted,
    Refused,
    /// The store did not decide in time.
    Unknown(String),
    /// The caller gave up, or the process was killed.
    Dropped,
}

impl Record {
    /// How long the caller waited.
    pub(crate) fn took(&self) -> Duration {
        self.ended.saturating_sub(self.sent)
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Call { limit, who, cost, kind, .. } = self.call;
        write!(
            f,
            "{:>12} us step {} process {} limit {limit} caller {who} {kind:?} x{cost}: {:?} after {} us",
            self.sent.as_micros(),
            self.step,
            self.number,
            self.outcome,
            self.took().as_micros()
        )?;
        if self.refunded > 0 {
            write!(f, ", gave {} back", self.refunded)?;
        }
        match self.released {
            Some(at) => write!(f, ", released at {} us", at.as_micros()),
            None => Ok(()),
        }
    }
}
