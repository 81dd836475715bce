//! What happens in one run: limits, calls and faults, all drawn from one seed. It is plain data, so that it can be shrunk.

mod draw;
mod meetings;
mod newer;

use crate::server::{LinkFault, Trouble};
use ratelimit::Limit;
use std::time::Duration;

/// The callers of one limit. The last one has no identity.
pub(crate) const CALLERS: u8 = 3;
pub(crate) const NOBODY: u8 = CALLERS - 1;

/// The names of the limits.
pub(crate) const NAMES: [&str; 3] = ["first", "second", "third"];
/// The tags of all keys: the callers, the limits of those without identity, and the overrides.
pub(crate) const TAGS: [&str; 6] = ["0", "1", "first", "second", "third", "#"];

/// How long calls take to end: they wait at most 3 s, and hold permits for 4 s.
pub(crate) const CLOSING: Duration = Duration::from_secs(8);

/// A run.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    pub(crate) seed: u64,
    pub(crate) layout: Layout,
    pub(crate) processes: usize,
    pub(crate) deadline: Duration,
    /// Whether many messages take long.
    pub(crate) is_slow: bool,
    pub(crate) limits: Vec<Limit>,
    pub(crate) steps: Vec<Step>,
}

/// The servers. Each has a role, which is its position here until a failover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    One,
    /// A primary, a replica, and two sentinels.
    Sentinels,
    /// Three nodes, and a replica that can take the place of each.
    Cluster {
        /// Whether a script may touch keys of several slots.
        any_slot: bool,
    },
}

/// An event and its time since the start.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) at: Duration,
    pub(crate) event: Event,
}

#[derive(Clone, Debug)]
pub(crate) enum Event {
    Call(Call),
    Fault(Fault),
    Change(Change),
    /// A process ends in good order, and another one takes its place at once.
    Retire(usize),
    /// All processes end in good order, and others start after this time.
    Night(Duration),
}

/// A call that a process makes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) process: usize,
    pub(crate) limit: usize,
    pub(crate) who: u8,
    pub(crate) cost: u32,
    /// The units that it leaves to others.
    pub(crate) keep: u32,
    pub(crate) kind: Kind,
    /// The caller gives up after this time.
    pub(crate) dropped_after: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Check,
    Acquire,
    Charge {
        then: Then,
    },
    Permit {
        held: Duration,
    },
    /// The same cost of another limit is taken in the same decision.
    Stack {
        with: usize,
    },
}

/// What becomes of a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Keep,
    Refund,
    Settle(u32),
}

/// The count of a limit changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) process: usize,
    pub(crate) limit: usize,
    pub(crate) how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// A new version of the service runs in this process, and in those that start later.
    Deploy(u32),
    /// This process sets an override for all.
    Override(u32),
    Remove,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// A command that a process sends to a server meets this, after some others.
    Link {
        process: usize,
        server: usize,
        after: u8,
        fault: LinkFault,
    },
    /// The network between a process and one server, or all of them, delivers nothing.
    Silence {
        process: usize,
        server: Option<usize>,
        time: Duration,
    },
    Stall(usize, Duration),
    Reject(usize, Trouble, Duration),
    ForgetScripts(usize),
    Restart {
        server: usize,
        down: Duration,
        keeps_keys: bool,
    },
    /// The clocks of all servers step.
    Clock {
        micros: i64,
    },
    /// `kill -9`. Another process starts in its place.
    Kill(usize),
    FailOver {
        server: usize,
        how: FailOver,
        /// The others hear of it after this time.
        lag: Duration,
    },
    /// A slot moves to another node, key by key.
    Move {
        tag: &'static str,
        to: usize,
        time: Duration,
        lag: Duration,
    },
}

/// How a replica takes the place of its primary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailOver {
    /// Nothing is lost. The old primary closes its connections, or replies with errors.
    Planned { hangs_up: bool },
    /// The primary crashes. Its last writes are lost. After some time it is back as a replica.
    Crash { lost: Duration, down: Duration },
    /// The primary is cut off from the others, and goes on to serve the processes that are connected to it.
    Split { lost: Duration, lasts: Duration },
}

impl Layout {
    pub(crate) fn servers(self) -> usize {
        match self {
            Self::One => 1,
            Self::Sentinels | Self::Cluster { .. } => 4,
        }
    }

    /// The role of the replica.
    pub(crate) fn replica(self) -> Option<usize> {
        match self {
            Self::One => None,
            Self::Sentinels => Some(1),
            Self::Cluster { .. } => Some(3),
        }
    }

    /// Whether a server in this role stores limits.
    pub(crate) fn serves(self, role: usize) -> bool {
        match self {
            Self::One | Self::Sentinels => role == 0,
            Self::Cluster { .. } => role < 3,
        }
    }
}

impl Schedule {
    /// The time of the last event.
    pub(crate) fn length(&self) -> Duration {
        self.steps.last().map_or(Duration::ZERO, |step| match step.event {
            Event::Night(night) => step.at + night,
            _ => step.at,
        })
    }
}
