//! The recorded calls of a key and their outcomes.

use ratelimit::{Limit, RateLimiter, Rejection};
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// The time in µs by the clock of this machine. The servers use the same clock.
pub(super) fn now() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()).unwrap()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The call was admitted. Contains the units that remained.
    Admitted(u32),
    Refused(u32),
    /// The reply was lost or late. The call may have been charged at any later time, or not at all.
    Unknown,
}

/// A call, with the times in µs at which it was sent and its reply was received.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) sent: u64,
    pub(super) received: u64,
    pub(super) outcome: Outcome,
}

/// The calls of one key under one limit, and the times at which the servers may have lost data.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    pub(super) calls: Vec<Call>,
    pub(super) losses: Vec<u64>,
}

/// The numbers of calls by their outcomes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Summary {
    pub(super) histories: usize,
    pub(super) admitted: usize,
    pub(super) refused: usize,
    pub(super) unknown: usize,
    /// The units that servers have forgotten when they failed.
    pub(super) lost: u64,
}

impl Summary {
    /// Adds a history in which servers have forgotten `lost` units.
    pub(super) fn add(&mut self, history: &History, lost: u64) {
        self.histories += 1;
        self.lost += lost;
        for call in &history.calls {
            *match call.outcome {
                Outcome::Admitted(_) => &mut self.admitted,
                Outcome::Refused(_) => &mut self.refused,
                Outcome::Unknown => &mut self.unknown,
            } += 1;
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { histories, admitted, refused, unknown, lost } = self;
        write!(
            f,
            "{histories} histories: {admitted} calls admitted, {refused} refused, {unknown} without a reply; {lost} units lost by servers"
        )
    }
}

/// Makes a call of one unit and records it.
pub(super) async fn call(limiter: &RateLimiter, limit: &Limit, key: &str) -> Call {
    let sent = now();
    let made = limiter.check(limit, key).await;
    let received = now();
    let outcome = match made {
        Ok(admitted) => Outcome::Admitted(admitted.decision().remaining()),
        Err(Rejection::Limited(refused)) => Outcome::Refused(refused.decision().remaining()),
        Err(Rejection::Unavailable(unavailable)) => {
            assert!(unavailable.error().is_transient(), "{}", unavailable.error());
            Outcome::Unknown
        }
        Err(other) => panic!("{other:?}"),
    };
    Call { sent, received, outcome }
}
