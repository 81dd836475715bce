//! Models leases of a counter: units that a process takes in advance, hands out by itself, and returns if no call uses them.
//!
//! The clock of each process has another offset. Fetches and returns may be executed late. A reply may be late or lost. The
//! counter has windows of a few ticks.

mod state;
mod steps;

/// The numbers of the limit, in units and ticks.
const COUNT: u8 = 4;
const WINDOW: u8 = 4;
/// The number of units in a lease.
const LARGEST: u8 = 2;
/// The times of `Limit::lease_usable_for` and `IDLE`, in ticks.
const USABLE: u8 = 3;
const IDLE: u8 = 2;
/// The most ticks that a request or a reply takes.
const DELAY: u8 = 2;
/// The times that the clocks of the processes and of the server show at the start.
const OFFSETS: [u8; 3] = [0, 7, 3];
const SERVERS_OFFSET: u8 = 5;

/// A mistake in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// The time in which units are usable starts at the arrival of the reply instead of the sending of the request.
    CountsFromTheReply,
    /// A process compares the end of the window by the server's clock with its own clock.
    TrustsTheServersClock,
    /// A restart returns units to the server, but the process keeps them, too.
    KeepsReturnedUnits,
    /// Units that were requested before a restart are added to the lease.
    IgnoresEpochs,
    /// Units that no call uses are not returned.
    NeverReturns,
}

/// The model: the number of processes, the bounds of its paths, and an optional mistake.
#[derive(Clone, Debug)]
pub struct Leases {
    processes: usize,
    budget: Budget,
    /// The tick from which on no call, fetch or fault happens.
    quiet_from: u8,
    mistake: Option<Mistake>,
}

/// The numbers of fetches and faults that may still happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Budget {
    fetches: u8,
    lost: u8,
    crashed: u8,
    restarts: u8,
}

impl Leases {
    /// A small model for the tests.
    pub fn small() -> Self {
        let budget = Budget { fetches: 2, lost: 1, crashed: 0, restarts: 1 };
        Self { processes: 2, budget, quiet_from: 5, mistake: None }
    }

    /// A large model for the command.
    pub fn large() -> Self {
        let budget = Budget { fetches: 3, lost: 1, crashed: 1, restarts: 1 };
        Self { processes: 3, budget, quiet_from: 6, mistake: None }
    }

    /// The same model with a mistake.
    pub fn with(self, mistake: Mistake) -> Self {
        Self { mistake: Some(mistake), ..self }
    }

    fn makes(&self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }

    fn end(&self) -> u8 {
        self.quiet_from + 2 * DELAY + USABLE + 1
    }
}

/// `Portion`: the unused units of one charge. `stamp` is a time of the server's clock, and all other times are times of the
/// process's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Portion {
    units: u8,
    /// The tick at which the window ends.
    stamp: u8,
    usable_until: u8,
    charge_ends: u8,
    epoch: u8,
}

/// A fetch that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Fetch {
    epoch: u8,
    sent: u8,
    /// The tick at which the reply was sent, and its content: the stamp, and the number of ticks until the window ends.
    reply: Option<(u8, u8, u8)>,
}

/// A return that has not been executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Give {
    units: u8,
    stamp: u8,
    sent: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Process {
    portions: Vec<Portion>,
    fetch: Option<Fetch>,
    epoch: u8,
    used_at: u8,
    is_crashed: bool,
}

/// The state of the processes, the network and the server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    now: u8,
    processes: Vec<Process>,
    gives: Vec<Give>,
    /// The window of the counter: the tick at which it ends, and the units that are taken from it.
    ends: u8,
    used: u8,
    /// The number of calls that were admitted in this window.
    admitted: u8,
    /// Whether a process has handed out a unit after the unit's window (`is_late`), or after the limit had changed (`is_old`).
    is_late: bool,
    is_old: bool,
    budget: Budget,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `LeasedUnits::take`: a call takes a unit.
    Call(usize),
    /// `Fetch::begin`: a call found no unit, or units are fetched in advance.
    Fetch(usize),
    /// `counter.lua` executes the fetch, and sends the reply.
    ExecuteFetch(usize),
    /// `Fetch::receive`: adds the units to the lease, or returns them.
    Receive(usize),
    /// The reply is lost.
    Lose(usize),
    /// `return_outdated`: returns units that are no longer usable, or that no call has used.
    Clean(usize),
    /// `counter.lua` executes the return at this index of `gives`.
    ExecuteGive(usize),
    /// The return at this index is lost. It is not repeated.
    LoseGive(usize),
    /// `KeyLease::restart`: an override ends the lease.
    Restart(usize),
    /// The process ends without returning its units.
    Crash(usize),
    /// Time passes. Before it does, all steps that are due must be made.
    Tick,
}

#[cfg(test)]
mod tests {
    use super::{Leases, Mistake};
    use crate::check;
    use crate::tests::{breaks, holds};

    #[test]
    fn no_window_admits_too_much_and_no_unit_is_kept() {
        holds(&check("leases", Leases::small()));
    }

    #[test]
    fn mistakes_are_noticed() {
        for (mistake, property) in [
            (Mistake::CountsFromTheReply, "no unit is handed out after its window"),
            (Mistake::TrustsTheServersClock, "no unit is handed out after its window"),
            (Mistake::KeepsReturnedUnits, "the server counts what was handed out and what is away"),
            (Mistake::IgnoresEpochs, "no unit of an old limit is handed out"),
            (Mistake::NeverReturns, "in the end no process has unused units"),
        ] {
            breaks(&check("wrong leases", Leases::small().with(mistake)), property);
        }
    }
}
