//! Models the background task that a limiter runs once at a time, with its heartbeat.
//!
//! Three runtimes of a process share `late_at` and `number`. Each atomic operation is a separate action, so other runtimes can
//! make steps between two operations. A runtime may be blocked for any time, or be shut down. At least one runtime remains.

mod state;
mod steps;

const RUNTIMES: usize = 3;
/// In ticks: the time between two heartbeats, and how late a heartbeat may be (`GRACE`).
const NEXT: u8 = 1;
const GRACE: u8 = 1;
/// The most ticks after a fault for which no task may be in charge. By then, the last promised heartbeat has become late.
const LONGEST_GAP: u8 = NEXT + GRACE;

/// A mistake in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// A call starts a task only if there is no task. It ignores that a task is late.
    TrustsStartedTasks,
    /// A new task gets a number that was read before the exchange. (The real code increments `number` after the exchange.)
    ReadsTheNumberEarly,
    /// A task does not check whether it is still in charge.
    NeverEnds,
}

/// The model: the bounds of its paths, and an optional mistake.
#[derive(Clone, Debug)]
pub struct SingleTask {
    end: u8,
    /// The number of faults: a runtime is blocked or shut down, or a task ends.
    faults: u8,
    mistake: Option<Mistake>,
}

impl SingleTask {
    /// A small model for the tests.
    pub fn small() -> Self {
        Self { end: 6, faults: 2, mistake: None }
    }

    /// A large model for the command.
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

/// The step that a runtime has reached, in starting, running or ending the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    None,
    /// The runtime has read `late_at`, and exchanges it next.
    Takes {
        seen: u8,
        promised: u8,
        number: u8,
    },
    /// The runtime has exchanged `late_at`, and increments `number` next.
    Counts {
        number: u8,
    },
    Runs {
        number: u8,
        beats_at: u8,
    },
    /// The task has seen that it is in charge. Next it stores its promise: the time from which on it is late.
    Beats {
        number: u8,
        promised: u8,
    },
    /// The task ends. It has seen that it is in charge, and stores zero next.
    Stops,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Runtime {
    stage: Stage,
    is_blocked: bool,
    is_shut_down: bool,
    /// The number of ticks for which the runtime's task ran, was not blocked, and was no longer in charge.
    replaced_for: u8,
}

/// The state of all runtimes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The time starts at 1, because `late_at` is zero if there is no task.
    now: u8,
    late_at: u8,
    number: u8,
    runtimes: [Runtime; RUNTIMES],
    faults: u8,
    /// The number of ticks since the last fault in which no unblocked task was in charge.
    gap: u8,
}

/// A step of a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `SingleTask::start`: a call notices that the task is late. `take_over` reads `late_at`.
    Call(usize),
    /// `take_over`: exchanges `late_at` if its value has not changed since it was read.
    Exchange(usize),
    /// `take_over`: increments `number`. Then the runtime spawns the task.
    Count(usize),
    /// The task wakes. `InCharge::limiter` ends the task if it is no longer in charge. Otherwise `beat` checks again whether
    /// the task is in charge.
    Wake(usize),
    /// `beat`: stores the promise.
    Beat(usize),
    /// The task has nothing left to do. `stop` checks whether it is in charge.
    End(usize),
    /// `stop`: stores zero.
    Stop(usize),
    /// The runtime is blocked, and makes no steps.
    Block(usize),
    /// The runtime continues.
    Unblock(usize),
    /// The runtime drops its task, and makes no more calls.
    ShutDown(usize),
    /// Time passes. Before it does, all runtimes that are not blocked must make their due steps. If the task is late, an idle
    /// runtime must also make a call.
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
