//! Concurrency limit: the twin of `lua/concurrency.lua`, which explains it. Stores permits with their leases, and the
//! tickets of calls that wait for a permit.

use super::verdict::{Charged, Verdict, signed};
use crate::limit::Limit;

/// The time after which a waiting call asks again if it could be among the next.
const NEXT_RETRY_MS: u64 = 20;
/// The time after which any other waiting call asks again.
const LATER_RETRY_MS: u64 = 100;

#[derive(Debug, Default)]
pub(super) struct Permits {
    held: Vec<Permit>,
    waiting: Vec<Ticket>,
}

#[derive(Debug)]
struct Permit {
    id: u64,
    units: u32,
    ends: u64,
}

#[derive(Debug)]
struct Ticket {
    id: u64,
    units: u32,
    arrival: u64,
}

impl Permits {
    /// The bytes that this state uses on the heap.
    pub(super) fn bytes(&self) -> usize {
        self.held.capacity() * size_of::<Permit>() + self.waiting.capacity() * size_of::<Ticket>()
    }

    /// The units of all permits.
    pub(super) fn units(&self) -> u64 {
        self.held.iter().map(|permit| u64::from(permit.units)).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty() && self.waiting.is_empty()
    }

    fn alive(&self, now: u64) -> impl Iterator<Item = &Permit> {
        self.held.iter().filter(move |permit| permit.ends > now)
    }

    /// The units of the tickets before the ticket with this id. An unknown id stands behind all tickets.
    fn ahead(&self, limit: &Limit, cost: u32, id: u64, now: u64) -> u64 {
        if limit.wait_ms() == 0 {
            return 0;
        }
        let alive = |ticket: &&Ticket| ticket.arrival + limit.wait_ms() > now;
        // A ticket is found by its lowest power of two.
        let lowest = cost & cost.wrapping_neg();
        let own =
            self.waiting.iter().filter(alive).find(|ticket| ticket.id == id && ticket.units & lowest > 0);
        let before = own.map_or(u64::MAX, |ticket| ticket.arrival);
        let ahead = self.waiting.iter().filter(alive).filter(|ticket| ticket.arrival < before);
        ahead.map(|ticket| u64::from(ticket.units)).sum()
    }

    pub(super) fn judge(&self, limit: &Limit, cost: u32, id: u64, now: u64) -> Verdict {
        let held: u64 = self.alive(now).map(|permit| u64::from(permit.units)).sum();
        let room = i64::from(limit.count()) - signed(held + self.ahead(limit, cost, id, now));
        let wait_ms = if cost > limit.count() {
            None
        } else if i64::from(cost) > room {
            let first = self.alive(now).map(|permit| permit.ends - now).min();
            Some(first.unwrap_or(limit.time_ms()))
        } else {
            Some(0)
        };
        Verdict { wait_ms, room, reset_ms: self.last_end(now), stamp: 0 }
    }

    /// The time in ms until the last lease ends.
    fn last_end(&self, now: u64) -> u64 {
        self.alive(now).map(|permit| permit.ends - now).max().unwrap_or(0)
    }

    /// How long this state must be stored, in ms from now.
    pub(super) fn lifetime(&self, limit: &Limit, now: u64) -> u64 {
        self.last_end(now).max(limit.wait_ms())
    }

    pub(super) fn charge(&mut self, limit: &Limit, cost: u32, id: u64, now: u64) -> Charged {
        self.held.retain(|permit| permit.ends > now && permit.id != id);
        self.waiting.retain(|ticket| ticket.id != id);
        self.held.push(Permit { id, units: cost, ends: now + limit.time_ms() });
        Charged { reset_ms: self.last_end(now), stamp: id }
    }

    /// Leaves a ticket. Returns the time in ms after which to ask again.
    pub(super) fn enqueue(&mut self, limit: &Limit, cost: u32, id: u64, wait: u64, now: u64) -> u64 {
        let ahead = self.ahead(limit, cost, id, now);
        self.waiting.retain(|ticket| ticket.arrival + limit.wait_ms() > now);
        if cost > 0 && !self.waiting.iter().any(|ticket| ticket.id == id) {
            self.waiting.push(Ticket { id, units: cost, arrival: now });
        }
        wait.min(if ahead < u64::from(limit.count()) { NEXT_RETRY_MS } else { LATER_RETRY_MS })
    }

    /// Gives back the powers of two that both the permit, or its ticket, and `units` have: all of them, if `units` are those of
    /// the permit.
    pub(super) fn give(&mut self, units: u32, id: u64) -> u32 {
        let held = self.held.iter_mut().map(|permit| (permit.id, &mut permit.units));
        let waiting = self.waiting.iter_mut().map(|ticket| (ticket.id, &mut ticket.units));
        let mut given = 0;
        for (_, left) in held.chain(waiting).filter(|(of, _)| *of == id) {
            given += *left & units;
            *left &= !units;
        }
        self.held.retain(|permit| permit.units > 0);
        self.waiting.retain(|ticket| ticket.units > 0);
        given
    }

    pub(super) fn renew(&mut self, limit: &Limit, id: u64, now: u64) -> u32 {
        let ends = now + limit.time_ms();
        let mut renewed = 0;
        for permit in self.held.iter_mut().filter(|permit| permit.id == id && permit.ends > now) {
            permit.ends = ends;
            renewed += permit.units;
        }
        renewed
    }
}
