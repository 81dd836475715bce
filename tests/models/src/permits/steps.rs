//! The steps of `Permits`, and the properties of its states.

use super::{
    Action, Fate, Kind, LONGEST_UNUSED, Mistake, PAUSE, PROCESS, Permits, RETRIED_AFTER, Stage, State, Taken,
};
use stateright::{Model, Property};

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
                // A late request keeps its id, so the process makes no other call until the request is executed.
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
                    // Models `TakenPermit::is_over`.
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
