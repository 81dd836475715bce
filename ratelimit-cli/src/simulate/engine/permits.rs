//! Permits of a concurrency limit: each call holds one for a fixed time, renews its lease, and returns it.

use crate::simulate::numbers::index;
use ratelimit::store::Change;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The first id of a permit. Stores use smaller ids for other purposes.
const FIRST: u64 = 2;

/// The renewal or the return of a permit. Events are ordered by time; at the same time, a return comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event {
    pub(super) at: u64,
    is_renewal: bool,
    permit: u64,
    pub(super) caller: u32,
    end: u64,
}

impl Event {
    pub(super) fn change(self) -> Change {
        if self.is_renewal { Change::Renew(self.permit) } else { Change::Give(self.permit) }
    }
}

pub(super) struct Permits {
    /// The time for which a call holds its permit, in microseconds.
    hold: u64,
    /// A third of the lease, after which it is renewed.
    renewal: u64,
    next: u64,
    events: BinaryHeap<Reverse<Event>>,
    /// The permits that each caller holds.
    held: Vec<u64>,
}

impl Permits {
    pub(super) fn new(hold: u64, lease: u64, callers: u64) -> Self {
        let (renewal, events) = ((lease / 3).max(1), BinaryHeap::new());
        Self { hold, renewal, next: FIRST, events, held: vec![0; index(callers)] }
    }

    /// The id for the next call.
    pub(super) fn next_id(&self) -> u64 {
        self.next
    }

    /// Notes that a call has taken the permit [`next_id`](Self::next_id). Returns how many permits its caller holds.
    pub(super) fn take(&mut self, at: u64, caller: u32) -> u64 {
        let permit = self.next;
        self.next += 1;
        self.schedule(at, Event { at, is_renewal: true, permit, caller, end: at.saturating_add(self.hold) });
        let held = &mut self.held[index(caller.into())];
        *held += 1;
        *held
    }

    /// The next event that is not after a time. The caller must change the store, and then call [`done`](Self::done).
    pub(super) fn due(&mut self, now: u64) -> Option<Event> {
        let is_due = self.events.peek().is_some_and(|Reverse(event)| event.at <= now);
        if is_due { self.events.pop().map(|Reverse(event)| event) } else { None }
    }

    /// Schedules the next event of a permit.
    pub(super) fn done(&mut self, event: Event) {
        if event.is_renewal {
            self.schedule(event.at, event);
        } else {
            self.held[index(event.caller.into())] -= 1;
        }
    }

    fn schedule(&mut self, now: u64, event: Event) {
        let renewal = now.saturating_add(self.renewal);
        let is_renewal = renewal < event.end;
        let at = if is_renewal { renewal } else { event.end };
        self.events.push(Reverse(Event { at, is_renewal, ..event }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permit_is_renewed_and_returned() {
        let mut permits = Permits::new(25, 30, 1);
        assert_eq!((permits.take(100, 0), permits.take(101, 0)), (1, 2));
        let mut seen = Vec::new();
        while let Some(event) = permits.due(125) {
            seen.push((event.at, event.change()));
            permits.done(event);
        }
        let (first, second) = (FIRST, FIRST + 1);
        assert_eq!(
            seen,
            [
                (110, Change::Renew(first)),
                (111, Change::Renew(second)),
                (120, Change::Renew(first)),
                (121, Change::Renew(second)),
                (125, Change::Give(first)),
            ]
        );
        assert_eq!(permits.take(125, 0), 2);
    }
}
