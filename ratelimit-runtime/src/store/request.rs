//! What a store is asked: whether units may be taken, and what happens to units that were taken.

use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::limit::Limit;

/// What a store does with requests that pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// Charges a request that passes now, and refuses any other.
    Check,
    /// As [`Check`](Self::Check), but a request may also reserve a later turn, within its limit's
    /// [`wait`](Limit::wait). The decision carries the stamp with which the units can be returned.
    Charge,
    /// Charges nothing. The decision is the one that [`Check`](Self::Check) would return.
    Peek,
}

/// One question to a store: may `cost` units of this limit be taken under this key?
///
/// A request owns its key and its limit. A store that decides later clones the requests.
#[derive(Clone, Debug)]
pub struct Request {
    key: StoreKey,
    limit: Limit,
    cost: u32,
    permit: u64,
    with_next: bool,
}

/// The id of a permit that nobody will hold.
const NO_PERMIT: u64 = 1;

impl Request {
    /// A request that is decided by itself.
    #[must_use]
    pub const fn new(key: StoreKey, limit: Limit, cost: u32) -> Self {
        Self { key, limit, cost, permit: NO_PERMIT, with_next: false }
    }

    /// Makes a stack: this request passes only together with the one that follows it, and is charged only then.
    /// The keys of a stack must differ, and its last request is not `with_next`.
    #[must_use]
    pub fn with_next(self) -> Self {
        Self { with_next: true, ..self }
    }

    /// Sets the id of the permit that a concurrency limit would give, from 1 to 2^52 - 1. Choose it at random, so that
    /// all permits that are held under one key have different ids. A call that waits asks again with the same id, and
    /// keeps its place.
    #[must_use]
    pub fn with_permit(self, id: u64) -> Self {
        Self { permit: id, ..self }
    }

    /// As [`with_next`](Self::with_next), in place.
    pub(crate) fn join_next(&mut self) {
        self.with_next = true;
    }

    /// The key under which the state is stored.
    #[must_use]
    pub const fn key(&self) -> &StoreKey {
        &self.key
    }

    /// The limit to decide by. It comes with the request, because a store keeps state, not rules.
    #[must_use]
    pub const fn limit(&self) -> &Limit {
        &self.limit
    }

    /// The units to take. Zero asks whether the limit is open, and charges nothing.
    #[must_use]
    pub const fn cost(&self) -> u32 {
        self.cost
    }

    /// The id of the permit.
    #[must_use]
    pub const fn permit(&self) -> u64 {
        self.permit
    }

    /// Whether this request passes only together with the one that follows it.
    #[must_use]
    pub const fn passes_with_next(&self) -> bool {
        self.with_next
    }

    /// The same request with another cost, decided by itself.
    pub(crate) fn alone(&self, cost: u32) -> Self {
        Self { cost, with_next: false, ..self.clone() }
    }

    /// A change of units that this request has taken.
    pub(crate) fn adjustment(&self, units: u32, change: Change) -> Adjustment {
        Adjustment::new(self.key.clone(), self.limit, units, change)
    }
}

/// The stacks of a batch: slices of requests that pass together. Most have one request.
///
/// # Errors
///
/// A stack without an end, or with two equal keys: each of the two requests would be judged without the charge of the
/// other.
pub(crate) fn stacks<'s, 'r>(
    requests: &'s [&'r Request],
) -> Result<impl Iterator<Item = &'s [&'r Request]>, Error> {
    if requests.last().is_some_and(|request| request.with_next) {
        return Err(Error::new(
            ErrorKind::Configuration,
            "the last request of a batch has no next one to pass with",
        ));
    }
    let stacks = requests.split_inclusive(|request| !request.with_next);
    for stack in stacks.clone().filter(|stack| stack.len() > 1) {
        for (i, request) in stack.iter().enumerate() {
            if stack[..i].iter().any(|earlier| earlier.key == request.key) {
                return Err(Error::new(
                    ErrorKind::Configuration,
                    "two limits of one stack have the same key",
                ));
            }
        }
    }
    Ok(stacks)
}

/// What happens to units after a decision.
#[derive(Clone, Debug)]
pub struct Adjustment {
    key: StoreKey,
    limit: Limit,
    units: u32,
    change: Change,
}

/// The kind of an [`Adjustment`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// Returns units of the charge with this stamp ([`Decision::stamp`](crate::Decision::stamp)), as far as they are
    /// still in use, and nothing if the charge has expired. The stamp of a permit is its id.
    Give(u64),
    /// Charges units whether there is room or not, at most one capacity into debt. Not for concurrency limits.
    Take,
    /// Restarts the lease of the permit with this id, unless the lease has ended.
    Renew(u64),
}

impl Adjustment {
    /// A change of `units` under a key.
    #[must_use]
    pub const fn new(key: StoreKey, limit: Limit, units: u32, change: Change) -> Self {
        Self { key, limit, units, change }
    }

    /// The key under which the state is stored.
    #[must_use]
    pub const fn key(&self) -> &StoreKey {
        &self.key
    }

    /// The limit by which the units were charged.
    #[must_use]
    pub const fn limit(&self) -> &Limit {
        &self.limit
    }

    /// The most units that change.
    #[must_use]
    pub const fn units(&self) -> u32 {
        self.units
    }

    /// What happens to the units.
    #[must_use]
    pub const fn change(&self) -> Change {
        self.change
    }

    /// Whether this change can be made to this limit.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let wrong = match (self.change, self.limit.is_concurrency()) {
            (Change::Take, true) => "a permit cannot be taken without a decision",
            (Change::Renew(_), false) => "only permits of a concurrency limit can be renewed",
            _ => return Ok(()),
        };
        Err(Error::new(ErrorKind::Configuration, wrong))
    }
}
