//! Leases of a counter: units that a process takes in advance, hands out by itself, and returns if no call uses them.
//!
//! Each process has a clock of its own with another offset. A fetch and a return may be executed late, and a reply may be late or
//! lost. The counter has windows of a few ticks.

use stateright::{Model, Property};

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

impl State {
    fn local(&self, process: usize) -> u8 {
        self.now + OFFSETS[process]
    }

    fn has_window(&self) -> bool {
        self.ends > self.now
    }

    fn usable(&self, process: usize) -> Option<usize> {
        let now = self.local(process);
        self.processes[process].portions.iter().position(|portion| now < portion.usable_until)
    }

    /// The portions that `return_outdated` removes.
    fn is_outdated(&self, process: usize, portion: Portion) -> bool {
        let now = self.local(process);
        now >= portion.usable_until || now >= self.processes[process].used_at + IDLE
    }

    fn must_clean(&self, process: usize, model: &Leases) -> bool {
        let Process { portions, is_crashed, .. } = &self.processes[process];
        !is_crashed
            && !model.makes(Mistake::NeverReturns)
            && portions.iter().any(|portion| self.is_outdated(process, *portion))
    }

    fn is_settled(&self, model: &Leases) -> bool {
        (0..self.processes.len()).all(|at| {
            let is_late = |fetch: &Fetch| match fetch.reply {
                None => self.local(at) >= fetch.sent + DELAY,
                Some((replied, ..)) => self.now >= replied + DELAY,
            };
            let Process { fetch, is_crashed, .. } = &self.processes[at];
            !self.must_clean(at, model) && (*is_crashed || !fetch.as_ref().is_some_and(is_late))
        }) && self.gives.iter().all(|give| self.now < give.sent + DELAY)
    }

    /// Removes portions and sends their returns, if the server still has the charge.
    fn give_back(&mut self, process: usize, of: impl Fn(&Self, &Portion) -> bool) {
        let now = self.local(process);
        let (gone, kept): (Vec<_>, Vec<_>) =
            self.processes[process].portions.iter().copied().partition(|portion| of(self, portion));
        self.processes[process].portions = kept;
        for portion in gone.iter().filter(|portion| now < portion.charge_ends) {
            self.send_give(portion.units, portion.stamp);
        }
    }

    fn send_give(&mut self, units: u8, stamp: u8) {
        self.gives.push(Give { units, stamp, sent: self.now });
        self.gives.sort_unstable();
    }

    /// `Fetch::receive` and `LeasedUnits::fill`.
    fn receive(&mut self, process: usize, model: &Leases) {
        let now = self.local(process);
        let Some(Fetch { epoch, sent, reply: Some((_, stamp, reset)) }) =
            self.processes[process].fetch.take()
        else {
            return;
        };
        if epoch != self.processes[process].epoch && !model.makes(Mistake::IgnoresEpochs) {
            return self.send_give(LARGEST, stamp);
        }
        let from = if model.makes(Mistake::CountsFromTheReply) { now } else { sent };
        let charge_ends =
            if model.makes(Mistake::TrustsTheServersClock) { stamp + SERVERS_OFFSET } else { from + reset };
        let usable_until = (from + USABLE).min(charge_ends);
        let lease = &mut self.processes[process];
        lease.portions.push(Portion { units: LARGEST, stamp, usable_until, charge_ends, epoch });
        lease.used_at = sent;
    }

    /// The units of the current window that a process or the network has.
    fn away(&self) -> u8 {
        let of_process = |process: &Process| {
            let portions = process.portions.iter().filter(|portion| portion.stamp == self.ends);
            let replied = process.fetch.iter().filter(|fetch| {
                fetch.reply.is_some_and(|(_, stamp, _)| stamp == self.ends && !process.is_crashed)
            });
            portions.map(|portion| portion.units).sum::<u8>() + LARGEST * u8::from(replied.count() > 0)
        };
        let gives = self.gives.iter().filter(|give| give.stamp == self.ends).map(|give| give.units);
        self.processes.iter().map(of_process).sum::<u8>() + gives.sum::<u8>()
    }
}

impl Model for Leases {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let process = |at: usize| Process {
            portions: vec![],
            fetch: None,
            epoch: 0,
            used_at: OFFSETS[at],
            is_crashed: false,
        };
        vec![State {
            now: 0,
            processes: (0..self.processes).map(process).collect(),
            gives: Vec::new(),
            ends: 0,
            used: 0,
            admitted: 0,
            is_late: false,
            is_old: false,
            budget: self.budget,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let may_begin = state.now < self.quiet_from;
        for (at, process) in state.processes.iter().enumerate() {
            match process.fetch {
                Some(Fetch { reply: None, .. }) => actions.push(Action::ExecuteFetch(at)),
                Some(_) if process.is_crashed => {}
                Some(_) => {
                    actions.push(Action::Receive(at));
                    if may_begin && state.budget.lost > 0 {
                        actions.push(Action::Lose(at));
                    }
                }
                None if may_begin && state.budget.fetches > 0 && !process.is_crashed => {
                    actions.push(Action::Fetch(at));
                }
                None => {}
            }
            if process.is_crashed {
                continue;
            }
            if may_begin && state.usable(at).is_some() {
                actions.push(Action::Call(at));
            }
            if state.must_clean(at, self) {
                actions.push(Action::Clean(at));
            }
            if may_begin && state.budget.restarts > 0 {
                actions.push(Action::Restart(at));
            }
            if may_begin && state.budget.crashed > 0 {
                actions.push(Action::Crash(at));
            }
        }
        for at in 0..state.gives.len() {
            actions.push(Action::ExecuteGive(at));
            if may_begin && state.budget.lost > 0 {
                actions.push(Action::LoseGive(at));
            }
        }
        if state.now < self.end() && state.is_settled(self) {
            actions.push(Action::Tick);
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Call(at) => {
                let place = last.usable(at)?;
                let now = last.local(at);
                let process = &mut state.processes[at];
                let portion = &mut process.portions[place];
                portion.units -= 1;
                state.is_late |= last.now >= portion.stamp;
                state.is_old |= portion.epoch != process.epoch;
                state.admitted += u8::from(portion.stamp == last.ends);
                process.used_at = now;
                process.portions.retain(|portion| portion.units > 0);
            }
            Action::Fetch(at) => {
                let epoch = last.processes[at].epoch;
                state.processes[at].fetch = Some(Fetch { epoch, sent: last.local(at), reply: None });
                state.budget.fetches -= 1;
            }
            Action::ExecuteFetch(at) => {
                if !last.has_window() {
                    (state.ends, state.used, state.admitted) = (last.now + WINDOW, 0, 0);
                }
                if state.used + LARGEST > COUNT {
                    // The refusal changes nothing, and the fetch has ended.
                    (state.ends, state.used) = (last.ends, last.used);
                    state.processes[at].fetch = None;
                } else {
                    state.used += LARGEST;
                    let reply = (last.now, state.ends, state.ends - last.now);
                    if let Some(fetch) = &mut state.processes[at].fetch {
                        fetch.reply = Some(reply);
                    }
                }
            }
            Action::Receive(at) => state.receive(at, self),
            Action::Lose(at) => {
                state.processes[at].fetch = None;
                state.budget.lost -= 1;
            }
            Action::Clean(at) => state.give_back(at, |state, portion| state.is_outdated(at, *portion)),
            Action::ExecuteGive(at) => {
                let give = state.gives.remove(at);
                if give.stamp == last.ends && last.has_window() {
                    state.used -= give.units.min(last.used);
                }
            }
            Action::LoseGive(at) => {
                state.gives.remove(at);
                state.budget.lost -= 1;
            }
            Action::Restart(at) => {
                state.processes[at].epoch += 1;
                state.give_back(at, |_, _| true);
                if self.makes(Mistake::KeepsReturnedUnits) {
                    let (kept, epoch) = (last.processes[at].portions.iter(), state.processes[at].epoch);
                    state.processes[at].portions =
                        kept.map(|portion| Portion { epoch, ..*portion }).collect();
                }
                state.budget.restarts -= 1;
            }
            Action::Crash(at) => {
                state.processes[at].is_crashed = true;
                state.processes[at].portions.clear();
                state.budget.crashed -= 1;
            }
            Action::Tick => state.now += 1,
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("a window admits at most its count", |_, state: &State| {
                state.admitted <= COUNT && state.used <= COUNT
            }),
            Property::always("no unit is handed out after its window", |_, state: &State| !state.is_late),
            Property::always("no unit of an old limit is handed out", |_, state: &State| !state.is_old),
            Property::always("the server counts what was handed out and what is away", |_, state: &State| {
                !state.has_window() || state.admitted + state.away() <= state.used
            }),
            Property::eventually("in the end no process has unused units", |model, state: &State| {
                let has_none = |process: &Process| {
                    process.is_crashed || process.portions.is_empty() && process.fetch.is_none()
                };
                state.now == model.end() && state.processes.iter().all(has_none) && state.gives.is_empty()
            }),
        ]
    }
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
