//! Leases of a counter: units that a process takes in advance, hands out by itself, and returns if no call uses them.
//!
//! Each process has a clock of its own with another offset. A fetch and a return may be executed late, and a reply may be late or
//! lost. The counter has windows of a few ticks.

mod state;
mod steps;

/// The numbers of the limit, in units and ticks.
const COUNT: u8 = 4;
const WINDOW: u8 = 4;
/// The largest lease.
const LARGEST: u8 = 2;
/// `Limit::lease_usable_for` and `IDLE`, in ticks.
const USABLE: u8 = 3;
const IDLE: u8 = 2;
/// The most ticks that a request or its reply takes.
const DELAY: u8 = 2;
/// What the clocks of the processes and of the server show at the start.
const OFFSETS: [u8; 3] = [0, 7, 3];
const SERVERS_OFFSET: u8 = 5;

/// A mistake in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Units are usable from the arrival of the reply on, not from the sending of the request.
    CountsFromTheReply,
    /// The end of the window by the server's clock is compared with the clock of the process.
    TrustsTheServersClock,
    /// A restart returns units and keeps them.
    KeepsReturnedUnits,
    /// Units that were requested before a restart are added to the lease.
    IgnoresEpochs,
    /// Units that no call uses are not returned.
    NeverReturns,
}

/// The model.
#[derive(Clone, Debug)]
pub struct Leases {
    processes: usize,
    budget: Budget,
    /// Until then calls, fetches and faults happen.
    quiet_from: u8,
    mistake: Option<Mistake>,
}

/// How much may still happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Budget {
    fetches: u8,
    lost: u8,
    crashed: u8,
    restarts: u8,
}

impl Leases {
    /// For the tests.
    pub fn small() -> Self {
        let budget = Budget { fetches: 2, lost: 1, crashed: 0, restarts: 1 };
        Self { processes: 2, budget, quiet_from: 5, mistake: None }
    }

    /// For the command.
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

/// `Portion`: the unused units of one charge. Times are those of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Portion {
    units: u8,
    /// The end of the window.
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
    /// When the reply was sent, and what it says: the stamp and the time until then.
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
    /// The window of the counter: its end and the units in it.
    ends: u8,
    used: u8,
    /// The calls that were admitted in this window.
    admitted: u8,
    /// Whether a unit was handed out after its window, or after the limit had changed.
    is_late: bool,
    is_old: bool,
    budget: Budget,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `LeasedUnits::take`: a call finds a unit.
    Call(usize),
    /// `Fetch::begin`, for a call that finds no unit or in advance.
    Fetch(usize),
    /// `counter.lua` executes the fetch, and its reply is on the way.
    ExecuteFetch(usize),
    /// `Fetch::receive`: adds the units to the lease, or returns them.
    Receive(usize),
    /// The reply does not arrive.
    Lose(usize),
    /// `return_outdated`: returns units that are no longer usable, or that no call has used.
    Clean(usize),
    /// `counter.lua` executes the return at this place.
    ExecuteGive(usize),
    /// The return does not arrive. It is not repeated.
    LoseGive(usize),
    /// `KeyLease::restart`: an override ends the lease.
    Restart(usize),
    /// The process ends without a word.
    Crash(usize),
    /// Time passes, once everybody has made the steps that are due.
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
