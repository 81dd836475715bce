//! `Request`: the question to a store about units.

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
    /// As [`Check`](Self::Check), but a request may also reserve a later turn, within its limit's
    /// [`wait`](Limit::wait). The decision contains the stamp with which the units can be returned.
    Charge,
    /// Charges nothing. The decision is the one that [`Check`](Self::Check) would return.
    Peek,
}

/// One question to a store: may `cost` units of this limit be taken under this key, so that `keep` units are left?
///
/// A request owns its key and its limit. A store whose reply is not ready at once clones the requests.
#[derive(Clone, Debug)]
#[must_use]
pub struct Request {
    pub(crate) key: StoreKey,
    pub(crate) limit: Limit,
    pub(crate) cost: u32,
    pub(crate) keep: u32,
    /// The id of the permit, and [`WITH_NEXT`]. Both are in one number, to keep a request small, because nearly every call
    /// moves one.
    permit: u64,
}

/// The bit of a request that passes only together with the following one. Ids of permits have 52 bits.
const WITH_NEXT: u64 = 1 << 63;

/// The id of a permit that nobody will hold.
pub(crate) const NO_PERMIT: u64 = 1;

impl Request {
    /// Makes a request that is decided by itself.
    #[inline]
    pub const fn new(key: StoreKey, limit: Limit, cost: u32) -> Self {
        Self { key, limit, cost, keep: 0, permit: NO_PERMIT }
    }

    /// Makes the request of a call with this cost, which has no key yet.
    #[inline]
    pub(crate) fn of_cost(limit: Limit, Cost { units, keep }: Cost) -> Self {
        Self { key: StoreKey::default(), limit, cost: units, keep, permit: NO_PERMIT }
    }

    /// Makes a stack: this request passes only together with the following one, and is charged only then. The keys of a
    /// stack must differ, and its last request must not be `with_next`.
    pub fn with_next(mut self) -> Self {
        self.join_next();
        self
    }

    /// Sets the units that must be left to others after the charge. The request passes if its cost and these units would
    /// pass together, and only its cost is charged. The default is 0.
    ///
    /// In mode [`Charge`](Mode::Charge), a request with such units waits for a bucket, or is refused and asks again for a
    /// permit, without a ticket. For a counter, a sliding window and a sliding log it passes now or is refused, because a
    /// turn in a later window would make the units that are left in earlier windows unusable.
    pub fn with_keep(mut self, units: u32) -> Self {
        self.keep = units;
        self
    }

    /// Sets the id of the permit that a concurrency limit would give, from 1 to 2^52 - 1. Choose it at random, so that
    /// all permits that are held under one key have different ids. A waiting call asks again with the same id, so that it
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
        self.permit = self.permit & WITH_NEXT | id & !WITH_NEXT;
    }

    /// Completes a key without a format.
    #[inline]
    pub(crate) fn add_format(&mut self) {
        self.key.add_format(&self.limit);
    }

    /// The key under which the state is stored.
    pub const fn key(&self) -> &StoreKey {
        &self.key
    }

    /// The limit to decide by. A store stores only state, so each request contains its limit.
    pub const fn limit(&self) -> &Limit {
        &self.limit
    }

    /// The units to take. A cost of zero takes nothing, and passes if the limit is not exceeded.
    pub const fn cost(&self) -> u32 {
        self.cost
    }

    /// The units that must be left to others after the charge.
    pub const fn keep(&self) -> u32 {
        self.keep
    }

    /// The cost and the units that are left to others: what must be free.
    pub(crate) const fn needed(&self) -> i64 {
        self.cost as i64 + self.keep as i64
    }

    /// Returns whether this request may wait for a turn. A request that leaves units to others waits only for buckets, as
    /// [`with_keep`](Self::with_keep) explains.
    pub(crate) const fn may_reserve(&self) -> bool {
        let limit = &self.limit;
        !limit.is_concurrency() && (self.keep == 0 || limit.algorithm().is_bucket())
    }

    /// Whether a refusal by the limit blocks the callers of the key.
    pub(crate) const fn closes_gate(&self) -> bool {
        self.cost > 0 && self.keep == 0 && !self.limit.block_steps().is_none()
    }

    /// Whether the store decides this request as it decides another one on the same key.
    pub(crate) fn is_decided_as(&self, other: &Self) -> bool {
        self.cost == other.cost && self.keep == other.keep && self.limit == other.limit
    }

    /// The id of the permit.
    pub const fn permit(&self) -> u64 {
        self.permit & !WITH_NEXT
    }

    /// Whether this request passes only together with the following one.
    pub const fn passes_with_next(&self) -> bool {
        self.permit & WITH_NEXT > 0
    }

    /// The same request with another cost, decided by itself.
    pub(crate) fn alone(&self, cost: u32) -> Self {
        Self { cost, permit: self.permit(), ..self.clone() }
    }

    /// A change of units that this request has taken.
    pub(crate) fn adjustment(&self, units: u32, change: Change) -> Adjustment {
        Adjustment::new(self.key.clone(), self.limit, units, change)
    }
}

/// Returns the stacks of a batch: slices of requests that pass together. Most stacks have one request. A store calls it first,
/// so that a wrong batch changes nothing.
///
/// # Errors
///
/// [`Configuration`](ErrorKind::Configuration), if the last stack has no end, or if a stack has two equal keys. Each of the two
/// requests would be decided without the charge of the other.
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
