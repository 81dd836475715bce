//! Groups of calls that meet few others, and what is learned from them.

use super::{Controller, FREE_OF_LIMIT, MOST_SPREAD, Phase, Sums};

impl Controller {
    pub(super) fn begin(&mut self, phase: Phase) -> bool {
        self.free = self.free_level();
        self.phase = phase;
        self.since = 0.0;
        self.group = Sums::NONE;
        self.lost = 0.0;
        self.size = self.group_size();
        self.places = self.size;
        true
    }

    fn rest(&mut self) {
        self.phase = Phase::Rest;
        self.since = 0.0;
        self.mark = self.limit;
        self.places = 0.0;
    }

    /// Moves the group on. Returns whether another one has begun.
    pub(super) fn advance(&mut self) -> bool {
        match self.phase {
            Phase::Joining | Phase::Lowered if self.places <= 0.0 => self.end_joining(),
            Phase::Joining if self.since > 2.0 * self.size && self.base > 0.0 => {
                self.phase = Phase::Lowered;
                self.since = 0.0;
            }
            // Not enough calls find so few others: the group stays small.
            Phase::Lowered if self.since > 20.0 * self.size => self.end_joining(),
            Phase::Rest | Phase::Joining | Phase::Lowered | Phase::Ending => {}
        }
        if self.phase != Phase::Ending {
            return false;
        }
        if self.group.calls + self.lost >= self.size {
            if self.group.calls >= 5.0 {
                return self.learn();
            }
            self.rest();
        } else if self.since > 20.0 * self.size + 10.0 * self.limit {
            self.rest(); // a call of the group lasts much longer than all others
        }
        false
    }

    fn end_joining(&mut self) {
        self.size -= self.places.max(0.0);
        self.places = 0.0;
        self.phase = Phase::Ending;
        self.since = 0.0;
    }

    /// Learns the latency without a queue from the group. Returns whether another group has begun, to confirm a change.
    fn learn(&mut self) -> bool {
        let calls = self.group.calls;
        let mean = (self.group.seconds / calls).max(1e-9);
        let spread = (self.group.squares / calls / (mean * mean) - 1.0).clamp(0.0, MOST_SPREAD);
        self.groups += 1.0;
        if self.base == 0.0 {
            self.base = mean;
            self.known = calls;
            self.spread = spread.max(0.5);
            self.free = (self.limit * FREE_OF_LIMIT).floor();
            self.rest();
            return false;
        }
        self.spread += (spread - self.spread) * 0.2;
        let error = (2.5 * (self.spread / calls).sqrt()).max(0.1);
        let ratio = mean / self.base;
        let hint = i8::from(ratio > 1.0 + error) - i8::from(ratio * (1.0 + error) < 1.0);
        let is_sure = hint != 0 && hint == self.hint;
        if is_sure {
            self.base = mean;
            self.known = calls;
            self.groups = 1.0;
        } else {
            let part = (1.0 / self.groups).max(0.2) * (calls / self.group_size()).min(1.0);
            self.base += (mean - self.base) * part;
            self.known = (self.known + calls).min(5.0 * self.group_size());
        }
        self.hint = hint;
        self.rest();
        hint != 0 && !is_sure && self.begin(Phase::Lowered)
    }
}
