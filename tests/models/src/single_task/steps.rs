//! The steps of `SingleTask`, and the properties of its states.

use super::{Action, GRACE, LONGEST_GAP, Mistake, NEXT, RUNTIMES, Runtime, SingleTask, Stage, State};
use stateright::{Model, Property};

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
        // Faults happen only early enough that the properties can hold again before the model ends.
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
