//! The events of one run: limits, calls and faults, all drawn from one seed. A schedule is plain data, so that it can be
//! shrunk.

mod draw;
mod meetings;
mod newer;
mod operations;
mod users;

use crate::server::{LinkFault, Trouble};
use ratelimit::{Limit, OnError};
use std::time::Duration;

/// The number of callers of one limit. The last caller has no identity.
pub(crate) const CALLERS: u8 = 3;
pub(crate) const NOBODY: u8 = CALLERS - 1;

/// The names of the limits.
pub(crate) const NAMES: [&str; 3] = ["first", "second", "third"];
/// The tags of all keys: the callers, the names of the limits for callers without identity, and the tag of the overrides.
pub(crate) const TAGS: [&str; 6] = ["0", "1", "first", "second", "third", "#"];

/// The time until all calls have ended: they wait at most 3 s, and hold permits for 4 s.
pub(crate) const CLOSING: Duration = Duration::from_secs(8);

/// The schedule of a run.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    pub(crate) seed: u64,
    pub(crate) layout: Layout,
    pub(crate) processes: usize,
    pub(crate) deadline: Duration,
    pub(crate) policy: OnError,
    /// The time of the servers' clocks at the start, since 1970 in UTC.
    pub(crate) epoch: Duration,
    /// Whether many messages are slow.
    pub(crate) is_slow: bool,
    pub(crate) limits: Vec<Limit>,
    pub(crate) steps: Vec<Step>,
}

/// The servers. Each server has a role, which is its index in this list. Failovers exchange roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    One,
    /// A primary, a replica, and two sentinels.
    Sentinels,
    /// Three nodes, and a replica that can take the place of any node.
    Cluster {
        /// Whether a script may touch keys of several slots.
        any_slot: bool,
    },
}

/// An event, and its time since the start.
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
    /// A process shuts down cleanly, and another process takes its place at once.
    Retire(usize),
    /// All processes shut down cleanly, and new ones start after this time.
    Night(Duration),
}

/// A call that a process makes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) process: usize,
    pub(crate) limit: usize,
    pub(crate) who: u8,
    pub(crate) cost: u32,
    /// The units that the call leaves to others.
    pub(crate) keep: u32,
    pub(crate) kind: Kind,
    /// The time after which the caller drops the call.
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
    /// A call with a second limit, whose index is `with`. One decision takes the cost from both limits. If `beside` is true, it
    /// also takes the cost from the first limit of the other caller.
    Stack {
        with: usize,
        beside: bool,
    },
    /// A call of a function with the attribute. Its result pauses the limit for this time.
    Pausing {
        time: Duration,
    },
    /// No call: an operation of an administrator or of the service.
    Hand(Hand),
}

/// What a service or an administrator does to a caller without a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hand {
    Penalize,
    Reset,
    Block(Duration),
    Unblock,
    /// Asks whether the process is ready.
    Status,
}

/// The change of a charge after its decision: none, a refund, a settlement, or a refund after this time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Keep,
    Refund,
    Settle(u32),
    Later(Duration),
}

/// A change of a limit's count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) process: usize,
    pub(crate) limit: usize,
    pub(crate) how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// This process, and processes that start later, run a new version of the service with this count.
    Deploy(u32),
    /// This process sets an override for all processes.
    Override(u32),
    /// Like `Override`, but the override expires after this time.
    Expiring(u32, Duration),
    Remove,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// One command that a process sends to a server has a fault. `after` is the number of commands that pass before it.
    /// Commands that never write are not counted, and have no fault.
    Link {
        process: usize,
        server: usize,
        after: u8,
        fault: LinkFault,
    },
    /// The network between a process and one server delivers nothing. `None` means all servers.
    Silence {
        process: usize,
        server: Option<usize>,
        time: Duration,
    },
    Stall(usize, Duration),
    Reject(usize, Trouble, Duration),
    /// All connections of a process to a server become black holes: nothing that is sent on them arrives, and they never break.
    /// New connections work.
    BlackHole {
        process: usize,
        server: usize,
    },
    /// The machine of all processes stands still for this time. Replies arrive meanwhile.
    Freeze(Duration),
    ForgetScripts(usize),
    Restart {
        server: usize,
        down: Duration,
        keeps_keys: bool,
    },
    /// The clocks of all servers jump.
    Clock {
        micros: i64,
    },
    /// The process ends without a shutdown, like `kill -9`. Another process starts in its place.
    Kill(usize),
    FailOver {
        server: usize,
        how: FailOver,
        /// The time in which the other servers learn of the failover.
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

/// The way in which a replica takes the place of its primary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailOver {
    /// No write is lost. The old primary closes its connections, or keeps them and replies with errors.
    Planned { hangs_up: bool },
    /// The primary crashes and loses its last writes. After `down` it returns as a replica.
    Crash { lost: Duration, down: Duration },
    /// The primary loses the connection to the other servers, and continues to serve the processes that are connected to it.
    Split { lost: Duration, lasts: Duration },
}

impl Layout {
    pub(crate) fn servers(self) -> usize {
        match self {
            Self::One => 1,
            Self::Sentinels | Self::Cluster { .. } => 4,
        }
    }

    /// Returns the role (index) of the server that starts as the replica. `None` if the layout has no replica.
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

impl Kind {
    /// Whether this is a call, and not an operation by hand.
    pub(crate) fn is_call(self) -> bool {
        !matches!(self, Self::Hand(_))
    }

    pub(crate) fn is_stack(self) -> bool {
        matches!(self, Self::Stack { .. })
    }

    /// Whether the operation may close or open the gate of a key, or delete its state.
    pub(crate) fn steers(self) -> bool {
        matches!(self, Self::Pausing { .. } | Self::Hand(Hand::Reset | Hand::Block(_) | Hand::Unblock))
    }
}

/// The caller whose limit a stack also uses if it has a third member.
pub(crate) fn other_caller(who: u8) -> u8 {
    u8::from(who == 0)
}

impl Schedule {
    /// The time of the last event, including a night.
    pub(crate) fn length(&self) -> Duration {
        self.steps.last().map_or(Duration::ZERO, |step| match step.event {
            Event::Night(night) => step.at + night,
            _ => step.at,
        })
    }
}
