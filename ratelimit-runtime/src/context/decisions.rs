//! `Decisions`: the last decision of each limit that a request has used. A handler may call a limited function for each item of a
//! list that its client has sent, so the stored data must not grow with the number of calls.

use super::RecordedDecision;
use crate::observe::report;
use smallvec::SmallVec;

#[derive(Default)]
pub(super) struct Decisions {
    /// The number of decisions that have been recorded.
    recorded: usize,
    /// The serial number of each decision in `last`, in the same order.
    numbers: SmallVec<[usize; 1]>,
    /// The last decision of each limit, in the order in which the limits were first used.
    last: SmallVec<[RecordedDecision; 1]>,
}

impl Decisions {
    pub(super) fn last(&self) -> &[RecordedDecision] {
        &self.last
    }

    /// Records decisions. Returns the serial number of the first of these decisions. The other ones have the next numbers.
    /// `is_counted` returns whether a layer around the call has a limit with this name.
    pub(super) fn record(
        &mut self,
        decisions: impl IntoIterator<Item = RecordedDecision>,
        is_counted: impl Fn(&RecordedDecision) -> bool,
    ) -> usize {
        let first = self.recorded;
        for decision in decisions {
            if let Some(at) = self.last.iter().position(|known| known.is_about_same_limit(&decision)) {
                if self.last[at].key == decision.key && is_counted(&decision) {
                    report::counted_twice(decision.name());
                }
                (self.numbers[at], self.last[at]) = (self.recorded, decision);
            } else {
                self.numbers.push(self.recorded);
                self.last.push(decision);
            }
            self.recorded += 1;
        }
        first
    }

    /// Changes the decision with this serial number. Does nothing if a later decision of the same limit was recorded.
    pub(super) fn change(&mut self, number: usize, change: impl FnOnce(&mut RecordedDecision)) {
        if let Some(at) = self.numbers.iter().position(|known| *known == number) {
            change(&mut self.last[at]);
        }
    }
}
