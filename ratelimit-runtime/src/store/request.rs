//! `Request`: asks a store whether a call may take units of a limit.
//!
//! A request owns its key and its limit, because stores have states, not rules. A call of one limit has its request on the stack.
//! The Redis store copies a request that waits, because the queue may outlive the caller.

use super::adjustment::{Adjustment, Change};
use super::cost::Cost;
use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::limit::Limit;

/// The way in which a store treats requests that pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// Charges a request that passes now, and refuses any other.
    Check,
    /// The same as [`Check`](Self::Check), but a request may also reserve a later turn, within its limit's
    /// [`wait`](Limit::wait). The decision contains the stamp with which the units can be returned.
    Charge,
    /// Charges nothing. The decision is the same as in mode [`Check`](Self::Check).
    Peek,
}

/// Asks a store: may `cost` units of this limit be taken under this key, so that at least `keep` units are left?
///
/// A request owns its key and its limit. A store whose reply is not ready at once clones the requests.
#[derive(Clone, Debug)]
#[must_use]
pub struct Request {
    pub(crate) key: StoreKey,
    pub(crate) limit: Limit,
    pub(crate) cost: u32,
    pub(crate) keep: u32,
    /// The id of the permit, or with the bit [`SHARED`] the hash of the caller that shares the limit with others, and the bit
    /// [`WITH_NEXT`]. One number holds all of them, so that a request is small: nearly every call moves a request in memory.
    permit: u64,
}

/// The bit that marks a request that passes only together with the following one. Ids of permits have 52 bits.
const WITH_NEXT: u64 = 1 << 63;

/// The bit that marks a request with a caller.
const SHARED: u64 = 1 << 62;

/// The permit id of requests that take no permit.
pub(crate) const NO_PERMIT: u64 = 1;

impl Request {
    /// Makes a request that is not part of a stack.
    #[inline]
    pub const fn new(key: StoreKey, limit: Limit, cost: u32) -> Self {
        Self { key, limit, cost, keep: 0, permit: NO_PERMIT }
    }

    /// Makes a request with this cost and an empty key. The key is written later.
    #[inline]
    pub(crate) fn of_cost(limit: Limit, Cost { units, keep }: Cost) -> Self {
        Self { key: StoreKey::default(), limit, cost: units, keep, permit: NO_PERMIT }
    }

    /// Makes this request and the following one members of a stack: they pass only together, and are charged only together. The
    /// keys of a stack must differ, and its last request must not be `with_next`.
    pub fn with_next(mut self) -> Self {
        self.join_next();
        self
    }

    /// Sets the units that must be left to others after the charge. The request passes if a cost that is higher by these units
    /// would pass, but only its own cost is charged. The default is 0.
    ///
    /// In mode [`Charge`](Mode::Charge), a request that leaves units to others may wait for its turn at a bucket. At a
    /// concurrency limit, such a request gets no ticket: it is refused, and its caller asks again. At a counter, a sliding
    /// window or a sliding log, such a request passes now or is refused. A turn in a later window would make the units that are
    /// left in earlier windows unusable.
    pub fn with_keep(mut self, units: u32) -> Self {
        self.keep = units;
        self
    }

    /// Sets the caller, by the lowest 62 bits of a hash of it: the callers of the bucket share its units in equal parts while all
    /// units are wanted ([`Key::fair`](crate::Key::fair)). The limit must be one that can be shared, else the caller is ignored. A
    /// store that cannot share units may ignore it too.
    pub fn with_caller(mut self, hash: u64) -> Self {
        self.set_caller(hash);
        self
    }

    /// Sets the id of the permit that the request takes from a concurrency limit, from 1 to 2^52 - 1. Choose it at random, so
    /// that all permits that are held under one key have different ids. A waiting call asks again with the same id, so that it
    /// keeps its place.
    pub fn with_permit(mut self, id: u64) -> Self {
        self.set_permit(id);
        self
    }

    /// Does the same as [`with_next`](Self::with_next), in place.
    pub(crate) fn join_next(&mut self) {
        self.permit |= WITH_NEXT;
    }

    pub(crate) fn set_permit(&mut self, id: u64) {
        self.permit = self.permit & WITH_NEXT | id & !(WITH_NEXT | SHARED);
    }

    pub(crate) fn set_caller(&mut self, hash: u64) {
        self.permit = self.permit & WITH_NEXT | SHARED | hash & (SHARED - 1);
    }

    /// The key under which the state is stored.
    pub const fn key(&self) -> &StoreKey {
        &self.key
    }

    /// The limit by which the store decides. A store stores only state, so each request contains its limit.
    pub const fn limit(&self) -> &Limit {
        &self.limit
    }

    /// The units to take. A request with a cost of zero takes nothing, and passes if the limit is not exceeded.
    pub const fn cost(&self) -> u32 {
        self.cost
    }

    /// The units that must be left to others after the charge.
    pub const fn keep(&self) -> u32 {
        self.keep
    }

    /// The hash of the caller, if callers share the limit in equal parts. `None` if the limit cannot be shared.
    #[inline]
    pub const fn caller(&self) -> Option<u64> {
        if self.permit & SHARED == 0 || self.limit.check_fair().is_err() {
            return None;
        }
        Some(self.permit & (SHARED - 1))
    }

    /// Returns whether the request is not part of a stack, and has no caller.
    #[inline]
    pub(crate) const fn is_alone(&self) -> bool {
        self.permit & (WITH_NEXT | SHARED) == 0
    }

    /// Returns the number of units that must be free: the cost, and the units that are left to others.
    pub(crate) const fn needed(&self) -> i64 {
        self.cost as i64 + self.keep as i64
    }

    /// Returns whether this request may wait for a turn. A request that leaves units to others waits only for buckets, as
    /// [`with_keep`](Self::with_keep) explains.
    pub(crate) const fn may_reserve(&self) -> bool {
        let limit = &self.limit;
        !limit.is_concurrency() && (self.keep == 0 || limit.is_bucket())
    }

    /// Returns whether a refusal by the limit blocks the callers of the key.
    pub(crate) const fn closes_gate(&self) -> bool {
        self.cost > 0 && self.keep == 0 && !self.limit.block_steps().is_none()
    }

    /// Returns whether two requests on the same key are equal for the store: in cost, units to leave, and limit. Their callers
    /// may differ, but both have a caller, or none has.
    pub(crate) fn is_decided_as(&self, other: &Self) -> bool {
        self.cost == other.cost
            && self.keep == other.keep
            && self.caller().is_some() == other.caller().is_some()
            && self.limit == other.limit
    }

    /// The id of the permit.
    pub const fn permit(&self) -> u64 {
        if self.permit & SHARED == 0 { self.permit & !WITH_NEXT } else { NO_PERMIT }
    }

    /// Returns whether this request passes only together with the following one.
    pub const fn passes_with_next(&self) -> bool {
        self.permit & WITH_NEXT > 0
    }

    /// Returns the same request with another cost, and not as a member of a stack.
    pub(crate) fn alone(&self, cost: u32) -> Self {
        Self { cost, permit: self.permit & !WITH_NEXT, ..self.clone() }
    }

    /// Creates a change of units that this request has taken.
    pub(crate) fn adjustment(&self, units: u32, change: Change) -> Adjustment {
        Adjustment::new(self.key.clone(), self.limit, units, change)
    }
}

/// Returns the stacks of a batch: slices of requests that pass together. Most stacks have one request. A store calls this
/// function first, so that an invalid batch changes nothing.
///
/// # Errors
///
/// Returns [`Configuration`](ErrorKind::Configuration) if the last request of the batch is `with_next`, or if two requests of a
/// stack have the same key. The store would decide each of two such requests without the charge of the other one.
pub fn stacks<'s, 'r>(requests: &'s [&'r Request]) -> Result<impl Iterator<Item = &'s [&'r Request]>, Error> {
    if requests.last().is_some_and(|request| request.passes_with_next()) {
        return Err(Error::new(
            ErrorKind::Configuration,
            "the last request of a batch passes with the next one, but there is none",
        ));
    }
    let stacks = requests.split_inclusive(|request| !request.passes_with_next());
    for stack in stacks.clone().filter(|stack| stack.len() > 1) {
        for (i, request) in stack.iter().enumerate() {
            if stack[..i].iter().any(|earlier| earlier.key == request.key) {
                return Err(Error::new(
                    ErrorKind::Configuration,
                    "two limits of a stack have the same key; give each its own",
                ));
            }
        }
    }
    Ok(stacks)
}
