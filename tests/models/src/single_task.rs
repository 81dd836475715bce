//! The background task of which a limiter runs one at a time, with its heartbeat.
//!
//! Three runtimes of a process share `late_at` and `number`. Each step of an atomic operation is an action of its own, so runtimes
//! interleave between them. A runtime may be blocked for any time, or be shut down, but not all of them at once.

use stateright::{Model, Property};

const RUNTIMES: usize = 3;
/// In ticks: between two heartbeats, and how late one may be (`GRACE`).
const NEXT: u8 = 1;
const GRACE: u8 = 1;
/// For how many ticks after a fault no task may be in charge: until the last promise has passed.
const LONGEST_GAP: u8 = NEXT + GRACE;

/// A mistake in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// A call starts a task only if there is none, not if it is late.
    TrustsStartedTasks,
    /// The number of the task is read before the exchange, not counted after it.
    ReadsTheNumberEarly,
    /// A task does not ask whether it is still in charge.
    NeverEnds,
}

/// The model.
#[derive(Clone, Debug)]
pub struct SingleTask {
    end: u8,
    /// How often a runtime may be blocked or shut down, or a task may end.
    faults: u8,
    mistake: Option<Mistake>,
}

impl SingleTask {
    /// For the tests.
    pub fn small() -> Self {
        Self { end: 6, faults: 2, mistake: None }
    }

    /// For the command.
    pub fn large() -> Self {
        Self { end: 9, faults: 3, mistake: None }
    }

    /// The same model with a mistake.
    pub fn with(self, mistake: Mistake) -> Self {
        Self { mistake: Some(mistake), ..self }
    }

    fn makes(&self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }
}

/// What a runtime does with the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    None,
    /// Has read `late_at`, and will exchange it.
    Takes {
        seen: u8,
        promised: u8,
        number: u8,
    },
    /// Has exchanged it, and will count `number`.
    Counts {
        number: u8,
    },
    Runs {
        number: u8,
        beats_at: u8,
    },
    /// Has seen that it is in charge, and will store its promise.
    Beats {
        number: u8,
        promised: u8,
    },
    /// Ends, has seen that it is in charge, and will store zero.
    Stops,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Runtime {
    stage: Stage,
    is_blocked: bool,
    is_shut_down: bool,
    /// For how many ticks its task was not in charge, while it was not blocked.
    replaced_for: u8,
}

/// The state of all runtimes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Begins at 1, because a promise of zero says that there is no task.
    now: u8,
    late_at: u8,
    number: u8,
    runtimes: [Runtime; RUNTIMES],
    faults: u8,
    /// For how many ticks since the last fault no running task was in charge.
    gap: u8,
}

/// A step of a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `SingleTask::start`: a call finds the task late. `take_over` reads `late_at`.
    Call(usize),
    /// `take_over`: exchanges `late_at`, if it is what was read.
    Exchange(usize),
    /// `take_over`: counts `number`. Then the task is spawned.
    Count(usize),
    /// The task wakes. `InCharge::limiter` ends it if it is no longer in charge. Otherwise `beat` looks whether it is.
    Wake(usize),
    /// `beat`: stores the promise.
    Beat(usize),
    /// The task has nothing left to do. `stop` looks whether it is in charge.
    End(usize),
    /// `stop`: stores zero.
    Stop(usize),
    /// A blocked runtime makes no step.
    Block(usize),
    /// The runtime goes on.
    Unblock(usize),
    /// The runtime drops its task, and makes no more calls.
    ShutDown(usize),
    /// Time passes, once all runtimes that are not blocked have made their steps, and one of them a call.
    Tick,
}

impl State {
    fn is_in_charge(&self, runtime: Runtime) -> bool {
        match runtime.stage {
            Stage::Runs { number, .. } | Stage::Beats { number, .. } => number == self.number,
            _ => false,
        }
    }

    fn is_attended(&self) -> bool {
        self.runtimes.iter().any(|runtime| !runtime.is_blocked && self.is_in_charge(*runtime))
    }

    fn is_late(&self, model: &SingleTask) -> bool {
        if model.makes(Mistake::TrustsStartedTasks) { self.late_at == 0 } else { self.late_at <= self.now }
    }

    /// Whether nobody has to make a step before time passes.
    fn is_settled(&self, model: &SingleTask) -> bool {
        let active = || self.runtimes.iter().filter(|runtime| !runtime.is_blocked);
        let settled = active().all(|runtime| match runtime.stage {
            Stage::None => true,
            Stage::Runs { beats_at, .. } => beats_at > self.now,
            _ => false,
        });
        let calls = active().any(|runtime| runtime.stage == Stage::None && !runtime.is_shut_down);
        settled && !(calls && self.is_late(model))
    }

    /// The runtimes that are neither blocked nor shut down.
    fn healthy(&self) -> usize {
        self.runtimes.iter().filter(|runtime| !runtime.is_blocked && !runtime.is_shut_down).count()
    }
}

impl Model for SingleTask {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let runtime = Runtime { stage: Stage::None, is_blocked: false, is_shut_down: false, replaced_for: 0 };
        vec![State {
            now: 1,
            late_at: 0,
            number: 0,
            runtimes: [runtime; RUNTIMES],
            faults: self.faults,
            gap: 0,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        // The last fault leaves enough time for the end.
        let may_fail = state.faults > 0 && state.now + LONGEST_GAP < self.end;
        for (at, runtime) in state.runtimes.iter().enumerate() {
            if runtime.is_blocked {
                actions.push(Action::Unblock(at));
                continue;
            }
            match runtime.stage {
                Stage::None if state.is_late(self) && !runtime.is_shut_down => actions.push(Action::Call(at)),
                Stage::Takes { .. } => actions.push(Action::Exchange(at)),
                Stage::Counts { .. } => actions.push(Action::Count(at)),
                Stage::Runs { beats_at, .. } if beats_at <= state.now => actions.push(Action::Wake(at)),
                Stage::Runs { .. } if may_fail => actions.push(Action::End(at)),
                Stage::None | Stage::Runs { .. } => {}
                Stage::Beats { .. } => actions.push(Action::Beat(at)),
                Stage::Stops => actions.push(Action::Stop(at)),
            }
            if may_fail && state.healthy() > 1 {
                actions.push(Action::Block(at));
                if !runtime.is_shut_down && matches!(runtime.stage, Stage::None | Stage::Runs { .. }) {
                    actions.push(Action::ShutDown(at));
                }
            }
        }
        if state.now < self.end && state.is_settled(self) {
            actions.push(Action::Tick);
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let now = state.now;
        let promised = now + NEXT + GRACE;
        let set = |next: &mut State, at: usize, stage| next.runtimes[at].stage = stage;
        let fail = |state: &mut State| {
            state.faults -= 1;
            state.gap = 0;
        };
        let leave = |state: &mut State, at: usize| {
            let is_in_charge = last.is_in_charge(last.runtimes[at]);
            state.runtimes[at].stage = if is_in_charge { Stage::Stops } else { Stage::None };
        };
        match action {
            Action::Call(at) => {
                let number = last.number + 1;
                set(&mut state, at, Stage::Takes { seen: last.late_at, promised, number });
            }
            Action::Exchange(at) => {
                let Stage::Takes { seen, promised, number } = last.runtimes[at].stage else { return None };
                let exchanged = last.late_at == seen;
                state.late_at = if exchanged { promised } else { last.late_at };
                set(&mut state, at, if exchanged { Stage::Counts { number } } else { Stage::None });
            }
            Action::Count(at) => {
                let Stage::Counts { number } = last.runtimes[at].stage else { return None };
                let early = self.makes(Mistake::ReadsTheNumberEarly);
                state.number = if early { number } else { last.number + 1 };
                let number = state.number;
                set(&mut state, at, Stage::Runs { number, beats_at: now + NEXT });
            }
            Action::Wake(at) => {
                let Stage::Runs { number, .. } = last.runtimes[at].stage else { return None };
                let goes_on = number == last.number || self.makes(Mistake::NeverEnds);
                set(&mut state, at, if goes_on { Stage::Beats { number, promised } } else { Stage::None });
            }
            Action::Beat(at) => {
                let Stage::Beats { number, promised } = last.runtimes[at].stage else { return None };
                state.late_at = promised;
                set(&mut state, at, Stage::Runs { number, beats_at: now + NEXT });
            }
            Action::End(at) => {
                fail(&mut state);
                leave(&mut state, at);
            }
            Action::Stop(at) => {
                state.late_at = 0;
                set(&mut state, at, Stage::None);
            }
            Action::Block(at) => {
                state.runtimes[at].is_blocked = true;
                fail(&mut state);
            }
            Action::Unblock(at) => state.runtimes[at].is_blocked = false,
            Action::ShutDown(at) => {
                state.runtimes[at].is_shut_down = true;
                fail(&mut state);
                leave(&mut state, at);
            }
            Action::Tick => {
                state.now += 1;
                state.gap = if last.is_attended() { 0 } else { last.gap + 1 };
                for runtime in &mut state.runtimes {
                    let is_replaced = match runtime.stage {
                        Stage::Runs { number, .. } => number != last.number && !runtime.is_blocked,
                        _ => false,
                    };
                    runtime.replaced_for = if is_replaced { runtime.replaced_for + 1 } else { 0 };
                }
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("one task is in charge", |_, state: &State| {
                state.runtimes.iter().filter(|runtime| state.is_in_charge(**runtime)).count() <= 1
            }),
            Property::always("a task is missed only until it is late", |_, state: &State| {
                state.gap <= LONGEST_GAP
            }),
            Property::always("a task that was replaced ends at its heartbeat", |_, state: &State| {
                state.runtimes.iter().all(|runtime| runtime.replaced_for <= NEXT)
            }),
            Property::eventually("in the end a task runs", |model, state: &State| {
                state.now == model.end && state.is_attended()
            }),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::{Mistake, SingleTask};
    use crate::check;
    use crate::tests::{breaks, holds};

    #[test]
    fn one_task_runs_whatever_is_blocked() {
        holds(&check("the single task", SingleTask::small()));
    }

    #[test]
    fn mistakes_are_noticed() {
        let with = |mistake| check("a wrong task", SingleTask::small().with(mistake));
        breaks(&with(Mistake::TrustsStartedTasks), "a task is missed only until it is late");
        breaks(&with(Mistake::ReadsTheNumberEarly), "one task is in charge");
        breaks(&with(Mistake::NeverEnds), "a task that was replaced ends at its heartbeat");
    }
}
