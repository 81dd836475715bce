//! The steps of `Leases`, and the properties of its states.

use super::{Action, COUNT, Fetch, LARGEST, Leases, Mistake, OFFSETS, Portion, Process, State, WINDOW};
use stateright::{Model, Property};

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
                    // A refusal changes nothing in the counter, and ends the fetch.
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
