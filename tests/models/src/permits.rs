//! Permits of a concurrency limit: renewed while a call holds them, also by another runtime, and returned, also if the reply to the
//! request that took them was lost.
//!
//! The limit has one permit. Process 0 has two runtimes, process 1 has one. Each process makes one call at a time, and its call is
//! the permit's id. A request is executed within a tick, or late and after requests that were sent later, or it is lost.

use stateright::{Model, Property};

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

impl State {
    fn has_lease(&self, process: usize) -> bool {
        self.leases[process] > self.now
    }

    fn is_known(&self, process: usize) -> bool {
        matches!(self.taken[process].stage, Stage::Held | Stage::Returned | Stage::Lost)
    }

    /// `TakenPermit::due_in`.
    fn due_in(&self, runtime: usize, model: &Permits) -> Option<u8> {
        let taken = &self.taken[PROCESS[runtime]];
        if !self.is_known(PROCESS[runtime]) || taken.is_crashed {
            return None;
        }
        if taken.runtime == runtime {
            return Some(taken.due);
        }
        let later = if taken.stage == Stage::Held { RETRIED_AFTER } else { 0 };
        (!model.makes(Mistake::NobodyTakesOver)).then_some(taken.due + later)
    }

    fn is_due(&self, runtime: usize, model: &Permits) -> bool {
        !self.blocked[runtime] && self.due_in(runtime, model).is_some_and(|due| due <= self.now)
    }

    /// Whether nobody has to make a step before time passes.
    fn is_settled(&self, model: &Permits) -> bool {
        let waits = |sent: &Sent| self.now < sent.at + if sent.is_late { LATEST } else { 1 };
        let must_finish = self.now >= model.quiet_from + LONGEST_BODY;
        self.sent.iter().all(waits)
            && (0..3).all(|runtime| !self.is_due(runtime, model))
            && !(must_finish && self.taken.iter().any(|taken| taken.stage == Stage::Held))
    }

    fn send(&mut self, kind: Kind, process: usize) {
        self.sent.push(Sent { kind, process, at: self.now, is_late: false });
        self.sent.sort_unstable();
    }

    /// `Permits::release`.
    fn release(&mut self, process: usize, stage: Stage) {
        let taken = &mut self.taken[process];
        (taken.stage, taken.pause, taken.due) = (stage, PAUSE, self.now + PAUSE);
        taken.ends = self.now + LEASE + LATEST;
        self.send(Kind::Give, process);
    }

    /// `concurrency.lua` executes a request. Returns whether it found units.
    fn execute(&mut self, sent: &Sent) -> bool {
        let process = sent.process;
        let found = match sent.kind {
            Kind::Take => (0..2).all(|process| !self.has_lease(process)),
            Kind::Renew | Kind::Give => self.has_lease(process),
        };
        if found {
            self.leases[process] = if sent.kind == Kind::Give { 0 } else { self.now + LEASE };
            self.unused[process] = 0;
        }
        found
    }

    /// The process receives a reply.
    fn receive(&mut self, sent: &Sent, found: bool, model: &Permits) {
        let now = self.now;
        let taken = &mut self.taken[sent.process];
        match (sent.kind, taken.stage) {
            (Kind::Take, Stage::Asks) if found => {
                (taken.stage, taken.due) = (Stage::Held, now + RENEWED_AFTER);
            }
            (Kind::Renew, Stage::Held) => taken.due = sent.at + RENEWED_AFTER,
            (Kind::Take, Stage::Asks) | (Kind::Give, Stage::Returned) => taken.stage = Stage::None,
            (Kind::Give, Stage::Lost) if found || model.makes(Mistake::NothingIsFinal) => {
                taken.stage = Stage::None;
            }
            (Kind::Give, Stage::Lost) => {
                taken.pause *= 2;
                taken.due = now + taken.pause;
            }
            _ => {}
        }
    }

    /// A call has no reply to its request for a permit.
    fn give_up(&mut self, sent: &Sent) {
        if sent.kind == Kind::Take && self.taken[sent.process].stage == Stage::Asks {
            self.release(sent.process, Stage::Lost);
        }
    }
}

impl Model for Permits {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let taken =
            Taken { stage: Stage::None, runtime: 0, due: 0, pause: PAUSE, ends: 0, is_crashed: false };
        vec![State {
            now: 0,
            taken: [taken; 2],
            blocked: [false; 3],
            sent: Vec::new(),
            leases: [0; 2],
            unused: [0; 2],
            budget: self.budget,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let (may_fail, budget) = (state.now < self.quiet_from, state.budget);
        for (at, sent) in state.sent.iter().enumerate() {
            actions.push(Action::Arrive(at, Fate::Executed));
            if !may_fail || sent.is_late {
                continue;
            }
            if budget.lost > 0 {
                actions.push(Action::Arrive(at, Fate::ReplyLost));
                actions.push(Action::Arrive(at, Fate::Lost));
            }
            if budget.late > 0 {
                actions.push(Action::Arrive(at, Fate::Late));
            }
        }
        for (runtime, process) in PROCESS.into_iter().enumerate() {
            let taken = &state.taken[process];
            if may_fail
                && budget.calls > 0
                && taken.stage == Stage::None
                && !taken.is_crashed
                && !state.blocked[runtime]
            {
                // A request that is late keeps its id, so the process makes no other call meanwhile.
                if state.sent.iter().all(|sent| sent.process != process) && !state.has_lease(process) {
                    actions.push(Action::Ask(runtime));
                }
            }
            if state.is_due(runtime, self) {
                actions.push(Action::Wake(runtime));
            }
            if may_fail && budget.blocked > 0 && process == 0 && !state.blocked.contains(&true) {
                actions.push(Action::Block(runtime));
            }
        }
        for (process, taken) in state.taken.iter().enumerate() {
            if taken.stage == Stage::Held {
                actions.push(Action::Finish(process));
            }
            if may_fail && budget.crashed > 0 && !taken.is_crashed {
                actions.push(Action::Crash(process));
            }
        }
        if state.now < self.end() && state.is_settled(self) {
            actions.push(Action::Tick);
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Ask(runtime) => {
                let taken = &mut state.taken[PROCESS[runtime]];
                (taken.stage, taken.runtime) = (Stage::Asks, runtime);
                state.budget.calls -= 1;
                state.send(Kind::Take, PROCESS[runtime]);
            }
            Action::Arrive(at, Fate::Late) => {
                let sent = state.sent[at];
                state.sent[at].is_late = true;
                state.sent.sort_unstable();
                state.budget.late -= 1;
                state.give_up(&sent);
            }
            Action::Arrive(at, fate) => {
                let sent = state.sent.remove(at);
                let found = fate != Fate::Lost && state.execute(&sent);
                let hears = !sent.is_late && !state.taken[sent.process].is_crashed;
                match fate {
                    Fate::Executed if hears => state.receive(&sent, found, self),
                    Fate::Executed => {}
                    _ => {
                        state.budget.lost -= 1;
                        state.give_up(&sent);
                    }
                }
            }
            Action::Finish(process) => state.release(process, Stage::Returned),
            Action::Wake(runtime) => {
                let process = PROCESS[runtime];
                let taken = &mut state.taken[process];
                let holds = taken.stage == Stage::Held;
                taken.runtime = runtime;
                taken.due = state.now + if holds { RETRIED_AFTER } else { taken.pause };
                if !holds && self.makes(Mistake::ReturnsOnce) {
                    taken.stage = Stage::None;
                } else {
                    state.send(if holds { Kind::Renew } else { Kind::Give }, process);
                }
            }
            Action::Block(runtime) => {
                state.blocked[runtime] = true;
                state.budget.blocked -= 1;
            }
            Action::Crash(process) => {
                let taken = &mut state.taken[process];
                (taken.stage, taken.is_crashed) = (Stage::None, true);
                state.budget.crashed -= 1;
            }
            Action::Tick => {
                state.now += 1;
                for process in 0..2 {
                    let taken = &state.taken[process];
                    let is_unused = state.has_lease(process)
                        && !taken.is_crashed
                        && !matches!(taken.stage, Stage::Held | Stage::Asks);
                    state.unused[process] = if is_unused { last.unused[process] + 1 } else { 0 };
                    // `TakenPermit::is_over`
                    let taken = &mut state.taken[process];
                    if matches!(taken.stage, Stage::Returned | Stage::Lost) && taken.ends <= state.now {
                        taken.stage = Stage::None;
                    }
                }
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("the permit has one lease", |_, state: &State| {
                !(state.has_lease(0) && state.has_lease(1))
            }),
            Property::always("a call that holds the permit has a lease", |_, state: &State| {
                (0..2).all(|at| state.taken[at].stage != Stage::Held || state.has_lease(at))
            }),
            Property::always("a permit without a call is free soon", |_, state: &State| {
                state.unused.iter().all(|ticks| *ticks <= LONGEST_UNUSED)
            }),
            Property::eventually("in the end the permit is free", |model, state: &State| {
                state.now == model.end() && (0..2).all(|process| !state.has_lease(process))
            }),
        ]
    }
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
