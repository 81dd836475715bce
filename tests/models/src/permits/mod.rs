//! Models permits of a concurrency limit. A permit is renewed while a call holds it, also by another runtime. It is returned
//! after the call, also if the reply to the request for the permit was lost.
//!
//! The limit has one permit. Process 0 has two runtimes, and process 1 has one. Each process makes one call at a time. The
//! process's number is the permit's id. A request is executed within a tick, or it is lost, or it is late. A late request may
//! be executed after requests that were sent later.

mod state;
mod steps;

/// The process of each runtime.
const PROCESS: [usize; 3] = [0, 0, 1];
/// In ticks: a lease, a third of a lease, a ninth of a lease, and the first pause between two attempts to return a permit.
const LEASE: u8 = 9;
const RENEWED_AFTER: u8 = 3;
const RETRIED_AFTER: u8 = 1;
const PAUSE: u8 = 1;
/// The most ticks between the sending of a late request and its execution (`LATEST_EXECUTION`).
const LATEST: u8 = 3;
/// The most ticks for which a permit may stay taken although no call holds it: the longest pause before a return that follows a
/// late request, and one tick for that return.
const LONGEST_UNUSED: u8 = 4 * PAUSE + 1;
/// The number of ticks after `quiet_from` at which the last bodies end. Until then, leases are renewed without faults.
const LONGEST_BODY: u8 = 6;

/// A mistake in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Only the runtime that has taken a permit renews it.
    NobodyTakesOver,
    /// A return that finds no permit is final, although the request for the permit may still arrive.
    NothingIsFinal,
    /// A return is not sent again.
    ReturnsOnce,
}

/// The model: the bounds of its paths, and an optional mistake.
#[derive(Clone, Debug)]
pub struct Permits {
    /// The tick from which on no call begins and no fault happens.
    quiet_from: u8,
    budget: Budget,
    mistake: Option<Mistake>,
}

/// The numbers of calls and faults that may still happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Budget {
    calls: u8,
    lost: u8,
    late: u8,
    blocked: u8,
    crashed: u8,
}

impl Permits {
    /// A small model for the tests.
    pub fn small() -> Self {
        let budget = Budget { calls: 2, lost: 1, late: 1, blocked: 1, crashed: 0 };
        Self { quiet_from: 3, budget, mistake: None }
    }

    /// A large model for the command.
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

    /// The last tick. Until then, leases that began late and the pauses between returns have ended.
    fn end(&self) -> u8 {
        self.quiet_from + LEASE + LATEST + 2
    }
}

/// `Stage`, with additional stages for a call that has no permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    None,
    /// The call waits for the reply to its request for a permit.
    Asks,
    Held,
    Returned,
    Lost,
}

/// `TakenPermit`: the permit of a process, in the view of its limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Taken {
    stage: Stage,
    runtime: usize,
    due: u8,
    pause: u8,
    /// The tick from which on the store certainly no longer has a permit that is being returned.
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
    /// The tick at which the lease of each process ends in the server. Zero means that the process has no permit.
    leases: [u8; 2],
    /// For each living process, the number of ticks for which the server has had the process's permit although no call holds
    /// the permit.
    unused: [u8; 2],
    budget: Budget,
}

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The server executes the request, and the reply arrives.
    Executed,
    /// The server executes the request, and the reply is lost.
    ReplyLost,
    /// The request does not arrive.
    Lost,
    /// The request is delayed.
    Late,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `call/permit`: a call requests a permit in this runtime.
    Ask(usize),
    /// The fate of the request at this index of `sent`. `Permits::hold`, `done` or `replied` handles a reply. A call without a
    /// reply releases its permit in the stage `Lost`.
    Arrive(usize, Fate),
    /// The body ends: `Permits::release` in the stage `Returned`.
    Finish(usize),
    /// `Permits::due`: the task of this runtime sends the requests that are due. Calls start the task, also to take over from
    /// other runtimes (`take_over`).
    Wake(usize),
    /// The task of this runtime stops making steps.
    Block(usize),
    /// The process ends without returning its permit.
    Crash(usize),
    /// Time passes. Before it does, all steps that are due must be made.
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
