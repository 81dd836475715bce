//! Predicates of a state of `Permits`, and the state changes that processes and the server make.

use super::{
    Kind, LATEST, LEASE, LONGEST_BODY, Mistake, PAUSE, PROCESS, Permits, RENEWED_AFTER, RETRIED_AFTER, Sent,
    Stage, State,
};

impl State {
    pub(super) fn has_lease(&self, process: usize) -> bool {
        self.leases[process] > self.now
    }

    pub(super) fn is_known(&self, process: usize) -> bool {
        matches!(self.taken[process].stage, Stage::Held | Stage::Returned | Stage::Lost)
    }

    /// Models `TakenPermit::due_in`.
    pub(super) fn due_in(&self, runtime: usize, model: &Permits) -> Option<u8> {
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

    pub(super) fn is_due(&self, runtime: usize, model: &Permits) -> bool {
        !self.blocked[runtime] && self.due_in(runtime, model).is_some_and(|due| due <= self.now)
    }

    /// Whether no step is due before time passes.
    pub(super) fn is_settled(&self, model: &Permits) -> bool {
        let waits = |sent: &Sent| self.now < sent.at + if sent.is_late { LATEST } else { 1 };
        let must_finish = self.now >= model.quiet_from + LONGEST_BODY;
        self.sent.iter().all(waits)
            && (0..3).all(|runtime| !self.is_due(runtime, model))
            && !(must_finish && self.taken.iter().any(|taken| taken.stage == Stage::Held))
    }

    pub(super) fn send(&mut self, kind: Kind, process: usize) {
        self.sent.push(Sent { kind, process, at: self.now, is_late: false });
        self.sent.sort_unstable();
    }

    /// Models `Permits::release`.
    pub(super) fn release(&mut self, process: usize, stage: Stage) {
        let taken = &mut self.taken[process];
        (taken.stage, taken.pause, taken.due) = (stage, PAUSE, self.now + PAUSE);
        taken.ends = self.now + LEASE + LATEST;
        self.send(Kind::Give, process);
    }

    /// `concurrency.lua` executes a request. Returns whether it took or found the permit.
    pub(super) fn execute(&mut self, sent: &Sent) -> bool {
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
    pub(super) fn receive(&mut self, sent: &Sent, found: bool, model: &Permits) {
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

    /// A call gets no reply to its request for a permit, so it returns the permit that it may have received.
    pub(super) fn give_up(&mut self, sent: &Sent) {
        if sent.kind == Kind::Take && self.taken[sent.process].stage == Stage::Asks {
            self.release(sent.process, Stage::Lost);
        }
    }
}
