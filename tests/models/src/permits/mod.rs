//! Permits of a concurrency limit: renewed while a call holds them, also by another runtime, and returned, also if the reply to the
//! request that took them was lost.
//!
//! The limit has one permit. Process 0 has two runtimes, process 1 has one. Each process makes one call at a time, and its call is
//! the permit's id. A request is executed within a tick, or late and after requests that were sent later, or it is lost.

mod state;
mod steps;

/// The owners of the runtimes.
const PROCESS: [usize; 3] = [0, 0, 1];
/// In ticks: a lease, a third of it, a ninth of it, and the first pause between two returns.
const LEASE: u8 = 9;
const RENEWED_AFTER: u8 = 3;
const RETRIED_AFTER: u8 = 1;
const PAUSE: u8 = 1;
/// The most ticks between the sending of a late request and its execution (`LATEST_EXECUTION`).
const LATEST: u8 = 3;
/// How many ticks a permit may belong to nobody: the longest pause before a return that follows a late request, and its way.
const LONGEST_UNUSED: u8 = 4 * PAUSE + 1;
/// How many ticks after the last faults the last bodies end, so that leases are renewed until then.
const LONGEST_BODY: u8 = 6;

/// A mistake in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Only the runtime in which a permit was taken renews it.
    NobodyTakesOver,
    /// A return that finds nothing is final, also if the request for the permit may still arrive.
    NothingIsFinal,
    /// A return is not sent again.
    ReturnsOnce,
}

/// The model.
#[derive(Clone, Debug)]
pub struct Permits {
    /// Until then calls begin and faults happen.
    quiet_from: u8,
    budget: Budget,
    mistake: Option<Mistake>,
}

/// How many calls and faults may still happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Budget {
    calls: u8,
    lost: u8,
    late: u8,
    blocked: u8,
    crashed: u8,
}

impl Permits {
    /// For the tests.
    pub fn small() -> Self {
        let budget = Budget { calls: 2, lost: 1, late: 1, blocked: 1, crashed: 0 };
        Self { quiet_from: 3, budget, mistake: None }
    }

    /// For the command.
    pub fn large() -> Self {
        let budget = Budget { calls: 2, lost: 1, late: 1, blocked: 1, crashed: 1 };
        Self { quiet_from: 5, budget, mistake: None }
    }

    /// The same model with a mistake.
    pub fn with(self, mistake: Mistake) -> Self {
        Self { mistake: Some(mistake), ..self }
    }

    fn makes(&self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }

    /// Until then everything has ended: leases that began late, and the pauses between returns.
    fn end(&self) -> u8 {
        self.quiet_from + LEASE + LATEST + 2
    }
}

/// `Stage`, and the stages of a call without a permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    None,
    /// The reply to the request for a permit has not arrived.
    Asks,
    Held,
    Returned,
    Lost,
}

/// `TakenPermit`: the permit of a process, as its limiter knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Taken {
    stage: Stage,
    runtime: usize,
    due: u8,
    pause: u8,
    /// When the store certainly no longer has a permit that is being returned.
    ends: u8,
    is_crashed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Kind {
    Take,
    Renew,
    Give,
}

/// A request that has not been executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Sent {
    kind: Kind,
    process: usize,
    at: u8,
    is_late: bool,
}

/// The state of the processes, the network and the server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    now: u8,
    taken: [Taken; 2],
    blocked: [bool; 3],
    sent: Vec<Sent>,
    /// The end of the lease of each process in the server. Zero: it has no permit.
    leases: [u8; 2],
    /// For how many ticks the permit of each process was in the server, though no call holds it and the process lives.
    unused: [u8; 2],
    budget: Budget,
}

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The server executes it, and the reply arrives.
    Executed,
    /// The server executes it, and the reply is lost.
    ReplyLost,
    /// It does not arrive.
    Lost,
    /// It stays on its way.
    Late,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `call/permit`: a call asks for a permit in this runtime.
    Ask(usize),
    /// The fate of the request at this place. A reply is noted by `Permits::hold`, `done` or `replied`; a call without a
    /// reply releases its permit in the stage `Lost`.
    Arrive(usize, Fate),
    /// The body ends: `Permits::release` in the stage `Returned`.
    Finish(usize),
    /// `Permits::due`: the task of this runtime sends what is due. Calls start it, also for other runtimes (`take_over`).
    Wake(usize),
    /// The task of this runtime makes no more steps.
    Block(usize),
    /// The process ends without a word.
    Crash(usize),
    /// Time passes, once everybody has made the steps that are due.
    Tick,
}

#[cfg(test)]
mod tests {
    use super::{Mistake, Permits};
    use crate::check;
    use crate::tests::{breaks, holds};

    #[test]
    fn a_permit_is_kept_while_it_is_held_and_free_soon_afterwards() {
        holds(&check("permits", Permits::small()));
    }

    #[test]
    fn mistakes_are_noticed() {
        let with = |mistake| check("wrong permits", Permits::small().with(mistake));
        breaks(&with(Mistake::NobodyTakesOver), "a call that holds the permit has a lease");
        breaks(&with(Mistake::NothingIsFinal), "a permit without a call is free soon");
        breaks(&with(Mistake::ReturnsOnce), "a permit without a call is free soon");
    }
}
