//! The background task of which a limiter runs one at a time, with its heartbeat.
//!
//! Three runtimes of a process share `late_at` and `number`. Each step of an atomic operation is an action of its own, so runtimes
//! interleave between them. A runtime may be blocked for any time, or be shut down, but not all of them at once.

mod state;
mod steps;

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
