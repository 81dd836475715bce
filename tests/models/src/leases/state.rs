//! Predicates of a state of `Leases`, and the state changes that processes and the server make.

use super::{
    DELAY, Fetch, Give, IDLE, LARGEST, Leases, Mistake, OFFSETS, Portion, Process, SERVERS_OFFSET, State,
    USABLE,
};

impl State {
    pub(super) fn local(&self, process: usize) -> u8 {
        self.now + OFFSETS[process]
    }

    pub(super) fn has_window(&self) -> bool {
        self.ends > self.now
    }

    pub(super) fn usable(&self, process: usize) -> Option<usize> {
        let now = self.local(process);
        self.processes[process].portions.iter().position(|portion| now < portion.usable_until)
    }

    /// Whether `return_outdated` removes this portion (the unused units of one charge) from the lease.
    pub(super) fn is_outdated(&self, process: usize, portion: Portion) -> bool {
        let now = self.local(process);
        now >= portion.usable_until || now >= self.processes[process].used_at + IDLE
    }

    pub(super) fn must_clean(&self, process: usize, model: &Leases) -> bool {
        let Process { portions, is_crashed, .. } = &self.processes[process];
        !is_crashed
            && !model.makes(Mistake::NeverReturns)
            && portions.iter().any(|portion| self.is_outdated(process, *portion))
    }

    pub(super) fn is_settled(&self, model: &Leases) -> bool {
        (0..self.processes.len()).all(|at| {
            let is_late = |fetch: &Fetch| match fetch.reply {
                None => self.local(at) >= fetch.sent + DELAY,
                Some((replied, ..)) => self.now >= replied + DELAY,
            };
            let Process { fetch, is_crashed, .. } = &self.processes[at];
            !self.must_clean(at, model) && (*is_crashed || !fetch.as_ref().is_some_and(is_late))
        }) && self.gives.iter().all(|give| self.now < give.sent + DELAY)
    }

    /// Removes the portions that `of` selects. Returns their units to the server while it still has the charge.
    pub(super) fn give_back(&mut self, process: usize, of: impl Fn(&Self, &Portion) -> bool) {
        let now = self.local(process);
        let (gone, kept): (Vec<_>, Vec<_>) =
            self.processes[process].portions.iter().copied().partition(|portion| of(self, portion));
        self.processes[process].portions = kept;
        for portion in gone.iter().filter(|portion| now < portion.charge_ends) {
            self.send_give(portion.units, portion.stamp);
        }
    }

    pub(super) fn send_give(&mut self, units: u8, stamp: u8) {
        self.gives.push(Give { units, stamp, sent: self.now });
        self.gives.sort_unstable();
    }

    /// Models `Fetch::receive` and `LeasedUnits::fill`.
    pub(super) fn receive(&mut self, process: usize, model: &Leases) {
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

    /// The units of the current window that a process holds or that are in transit.
    pub(super) fn away(&self) -> u8 {
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
