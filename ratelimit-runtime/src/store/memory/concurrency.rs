//! Concurrency limit: the twin of `lua/concurrency.lua`, which explains it. Stores permits with their leases, and the
//! tickets of calls that wait for a permit.

use super::terms::{Terms, Verdict, signed};
use crate::limit::Limit;
use crate::store::Mode;

/// The time after which a waiting call asks again, if the call could be one of the next to pass.
const NEXT_RETRY_MS: u64 = 20;
/// The time after which any other waiting call asks again.
const LATER_RETRY_MS: u64 = 100;

/// A permit, or the ticket of a call that waits for one.
#[derive(Debug)]
pub(super) struct Permit {
    id: u64,
    units: u32,
    is_ticket: bool,
    /// The end of a permit's lease, or the arrival of a ticket, in ms.
    time: u64,
}

impl Permit {
    /// Returns the time in ms until the lease ends. Returns 0 for a ticket.
    fn left(&self, now: u64) -> u64 {
        if self.is_ticket { 0 } else { self.time.saturating_sub(now) }
    }

    fn is_waiting(&self, limit: &Limit, now: u64) -> bool {
        self.is_ticket && self.time + limit.wait_ms() > now
    }
}

/// Returns the number of units that these permits hold. Tickets hold none.
fn units<'p>(permits: impl Iterator<Item = &'p Permit>) -> u64 {
    permits.filter(|permit| !permit.is_ticket).map(|permit| u64::from(permit.units)).sum()
}

/// Returns the units that are free. Permits whose lease has ended since the last charge still count as held.
pub(super) fn room(permits: &[Permit], limit: &Limit) -> i64 {
    i64::from(limit.count()) - signed(units(permits.iter()))
}

/// Returns the time in ms for which a list is needed: until the last lease or ticket ends.
pub(super) fn kept_ms(permits: &[Permit], limit: &Limit, now: u64) -> u64 {
    last_end(permits, now).max(limit.wait_ms())
}

fn last_end(permits: &[Permit], now: u64) -> u64 {
    permits.iter().map(|permit| permit.left(now)).max().unwrap_or(0)
}

/// Returns the units of the tickets before the ticket of this request. A request without a ticket is behind all tickets.
fn ahead(permits: &[Permit], terms: &Terms<'_>, cost: u32) -> u64 {
    let Terms { limit, permit: id, now, .. } = *terms;
    if limit.wait_ms() == 0 {
        return 0;
    }
    let waiting = || permits.iter().filter(|ticket| ticket.is_waiting(limit, now));
    // As in the script, a ticket with the id of this request belongs to the request only if its units contain the lowest power
    // of two in the cost.
    let lowest = cost & cost.wrapping_neg();
    let own = waiting().find(|ticket| ticket.id == id && ticket.units & lowest > 0);
    let before = own.map_or(u64::MAX, |ticket| ticket.time);
    waiting().filter(|ticket| ticket.time < before).map(|ticket| u64::from(ticket.units)).sum()
}

/// Decides about a request, and charges it if it passes. A refused request that may wait leaves a ticket. If the list has
/// changed, also returns the time in ms for which it is needed.
pub(super) fn decide(permits: &mut Vec<Permit>, terms: &Terms<'_>) -> (Verdict, Option<u64>) {
    let Terms { limit, cost, needed, permit: id, now, .. } = *terms;
    let count = i64::from(limit.count());
    let alive = permits.iter().filter(|permit| permit.left(now) > 0);
    let ahead = ahead(permits, terms, u32::try_from(needed).unwrap_or(u32::MAX));
    let room = count - signed(units(alive.clone()) + ahead);
    let wait_ms = match needed {
        _ if needed > count => None,
        _ if needed > room => Some(alive.map(|permit| permit.left(now)).min().unwrap_or(limit.time_ms())),
        _ => Some(0),
    };
    let turn = terms.turn(wait_ms);
    if turn.is_some() {
        permits.retain(|permit| permit.id != id && (permit.is_ticket || permit.time > now));
        permits.push(Permit { id, units: cost, is_ticket: false, time: now + limit.time_ms() });
    }
    let (reset_ms, kept_ms) = (last_end(permits, now), kept_ms(permits, limit, now));
    match (turn, wait_ms) {
        (Some(wait), _) => (terms.charged(wait, room - i64::from(cost), reset_ms, id), Some(kept_ms)),
        (None, Some(wait)) if wait > 0 && terms.mode == Mode::Charge && limit.wait_ms() > 0 => {
            let wait_ms = Some(enqueue(permits, terms, wait));
            (Verdict { wait_ms, room, reset_ms, stamp: 0 }, Some(kept_ms))
        }
        _ => (Verdict { wait_ms, room, reset_ms, stamp: 0 }, None),
    }
}

/// Adds a ticket if the call has neither a ticket nor a permit yet, and leaves no units to others. Returns the time in ms after which to ask again.
fn enqueue(permits: &mut Vec<Permit>, terms: &Terms<'_>, wait: u64) -> u64 {
    let Terms { limit, permit: id, now, .. } = *terms;
    let cost = if terms.keeps() { 0 } else { terms.cost };
    let ahead = ahead(permits, terms, cost);
    permits.retain(|permit| !permit.is_ticket || permit.is_waiting(limit, now));
    if cost > 0 && !permits.iter().any(|permit| permit.id == id) {
        permits.push(Permit { id, units: cost, is_ticket: true, time: now });
    }
    wait.min(if ahead < u64::from(limit.count()) { NEXT_RETRY_MS } else { LATER_RETRY_MS })
}

/// Gives back units of a permit, or of its ticket. As in the script, units are counted in powers of two: a power is given back
/// if `units` and the permit both contain it. So if `units` is the number of units that the permit holds, the whole permit is
/// given back. Returns the number of units that were given back.
pub(super) fn give(permits: &mut Vec<Permit>, units: u32, id: u64) -> u32 {
    let mut given = 0;
    for permit in permits.iter_mut().filter(|permit| permit.id == id) {
        given += permit.units & units;
        permit.units &= !units;
    }
    permits.retain(|permit| permit.units > 0);
    given
}

/// Restarts the lease of the permit with this id. Returns the units of the permit.
pub(super) fn renew(permits: &mut [Permit], limit: &Limit, id: u64, now: u64) -> u32 {
    let mut renewed = 0;
    for permit in permits.iter_mut().filter(|permit| permit.id == id && permit.left(now) > 0) {
        permit.time = now + limit.time_ms();
        renewed += permit.units;
    }
    renewed
}
