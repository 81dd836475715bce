//! Concurrency: permits that hold units until they are returned or their lease ends, and tickets of waiting calls.

use super::{Answer, Definition, Numbers};
use crate::store::Mode;

#[derive(Clone, Debug)]
pub(super) struct Concurrency {
    numbers: Numbers,
    /// The current time in ms.
    now: u64,
    permits: Vec<Permit>,
    tickets: Vec<Ticket>,
}

#[derive(Clone, Debug)]
struct Permit {
    id: u64,
    units: u32,
    lease_end: u64,
}

#[derive(Clone, Debug)]
struct Ticket {
    id: u64,
    units: u32,
    arrival: u64,
}

impl Concurrency {
    pub(super) fn new(numbers: Numbers) -> Self {
        Self { numbers, now: 0, permits: Vec::new(), tickets: Vec::new() }
    }

    fn pass_to(&mut self, now: u64) {
        let now = now / 1000;
        self.now = now;
        self.permits.retain(|permit| permit.lease_end > now);
        let wait = self.numbers.wait;
        self.tickets.retain(|ticket| ticket.arrival + wait > now);
    }

    fn ticket(&self, id: u64) -> Option<&Ticket> {
        self.tickets.iter().find(|ticket| ticket.id == id)
    }

    /// Whether the id has a permit or a ticket.
    fn is_known(&self, id: u64) -> bool {
        self.ticket(id).is_some() || self.permits.iter().any(|permit| permit.id == id)
    }

    /// The units of the tickets that arrived earlier, or of all tickets if this call has no ticket.
    fn ahead(&self, id: u64) -> i64 {
        let arrival = self.ticket(id).map_or(u64::MAX, |ticket| ticket.arrival);
        let ahead = self.tickets.iter().filter(|ticket| ticket.arrival < arrival);
        ahead.map(|ticket| i64::from(ticket.units)).sum()
    }

    fn free(&self, id: u64) -> i64 {
        let held: i64 = self.permits.iter().map(|permit| i64::from(permit.units)).sum();
        i64::from(self.numbers.count) - held - self.ahead(id)
    }

    fn until_a_lease_ends(&self) -> u64 {
        self.permits.iter().map(|permit| permit.lease_end - self.now).min().unwrap_or(self.numbers.time)
    }

    fn ask_again(&self, ahead: i64) -> u64 {
        let soon = if ahead < i64::from(self.numbers.count) { 20 } else { 100 };
        soon.min(self.until_a_lease_ends())
    }

    /// Takes a permit. A call whose reply was lost asks again with the same id, and holds one permit.
    fn charge(&mut self, id: u64, units: u32) {
        self.permits.retain(|permit| permit.id != id);
        self.permits.push(Permit { id, units, lease_end: self.now + self.numbers.time });
    }
}

impl Definition for Concurrency {
    fn decide_keeping(&mut self, now: u64, mode: Mode, cost: u32, keep: u32, id: u64) -> Answer {
        self.pass_to(now);
        let needed = i64::from(cost) + i64::from(keep);
        let possible = needed <= i64::from(self.numbers.count);
        let (ahead, mut free) = (self.ahead(id), self.free(id));
        let allowed = possible && needed <= free;
        let waits = mode == Mode::Charge && self.numbers.wait > 0;
        let charges = allowed && mode != Mode::Peek && cost > 0;
        if charges {
            self.charge(id, cost);
            free -= i64::from(cost);
            self.tickets.retain(|ticket| ticket.id != id);
        } else if waits && possible && !allowed && cost > 0 && keep == 0 && !self.is_known(id) {
            self.tickets.push(Ticket { id, units: cost, arrival: self.now });
        }
        let retry_after = if waits { self.ask_again(ahead) } else { self.until_a_lease_ends() };
        Answer {
            allowed,
            delay: 0,
            limit: self.numbers.count,
            remaining: u32::try_from(free.max(0)).unwrap(),
            retry_after: (possible && !allowed).then_some(retry_after),
            reset_after: self.permits.iter().map(|permit| permit.lease_end - self.now).max().unwrap_or(0),
            stamp: if charges && mode == Mode::Charge { id } else { 0 },
        }
    }

    /// A request of a stack leaves no ticket.
    fn judge(&mut self, now: u64, _mode: Mode, cost: u32, keep: u32, id: u64) -> Answer {
        self.decide_keeping(now, Mode::Peek, cost, keep, id)
    }

    fn give(&mut self, now: u64, _units: u32, id: u64) -> u32 {
        self.pass_to(now);
        let back = self.permits.iter().filter(|permit| permit.id == id).map(|permit| permit.units).sum();
        self.permits.retain(|permit| permit.id != id);
        self.tickets.retain(|ticket| ticket.id != id);
        back
    }

    fn take(&mut self, _now: u64, _units: u32) -> u32 {
        0
    }

    fn renew(&mut self, now: u64, id: u64) -> u32 {
        self.pass_to(now);
        let lease_end = self.now + self.numbers.time;
        let renewed = self.permits.iter_mut().filter(|permit| permit.id == id);
        renewed
            .map(|permit| {
                permit.lease_end = lease_end;
                permit.units
            })
            .sum()
    }

    fn change(&mut self, numbers: Numbers) {
        self.numbers = numbers;
    }

    fn copy(&self) -> Box<dyn Definition> {
        Box::new(self.clone())
    }
}
