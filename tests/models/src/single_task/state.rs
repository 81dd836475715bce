//! Predicates of a state of `SingleTask`.

use super::{Mistake, Runtime, SingleTask, Stage, State};

impl State {
    pub(super) fn is_in_charge(&self, runtime: Runtime) -> bool {
        match runtime.stage {
            Stage::Runs { number, .. } | Stage::Beats { number, .. } => number == self.number,
            _ => false,
        }
    }

    pub(super) fn is_attended(&self) -> bool {
        self.runtimes.iter().any(|runtime| !runtime.is_blocked && self.is_in_charge(*runtime))
    }

    pub(super) fn is_late(&self, model: &SingleTask) -> bool {
        if model.makes(Mistake::TrustsStartedTasks) { self.late_at == 0 } else { self.late_at <= self.now }
    }

    /// Whether no step is due before time passes.
    pub(super) fn is_settled(&self, model: &SingleTask) -> bool {
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
    pub(super) fn healthy(&self) -> usize {
        self.runtimes.iter().filter(|runtime| !runtime.is_blocked && !runtime.is_shut_down).count()
    }
}
