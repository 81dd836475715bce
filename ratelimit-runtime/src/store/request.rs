//! What stores are asked: may units be taken, and what happens to those that were.

use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::limit::Limit;
use smallvec::SmallVec;

/// What is to happen to a request that passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// It is charged. One that cannot pass now is refused.
    Check,
    /// It is charged, and may be told to wait for its turn, at most as long as its limit says. The decision carries
    /// what is needed to give the units back.
    Charge,
    /// Nothing: the answer is what [`Check`](Self::Check) would be.
    Peek,
}

/// One question to a store: may so many units of this limit be taken under this key?
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    key: StoreKey<'a>,
    limit: &'a Limit,
    cost: u32,
    permit: u64,
    with_next: bool,
}

/// The id of a permit that nobody will hold.
const NO_PERMIT: u64 = 1;

impl<'a> Request<'a> {
    /// A request that stands for itself.
    #[must_use]
    pub const fn new(key: StoreKey<'a>, limit: &'a Limit, cost: u32) -> Self {
        Self { key, limit, cost, permit: NO_PERMIT, with_next: false }
    }

    /// Makes a stack: this request passes only together with the one that follows it, and is charged only then.
    /// The keys of a stack have to differ, and its last request stands for itself.
    #[must_use]
    pub const fn with_next(self) -> Self {
        Self { with_next: true, ..self }
    }

    /// The id of the permit that a concurrency limit would give, from 1 to 2^52 - 1: chosen by chance, so that no two
    /// that are held under one key are the same. Asking again with the same id keeps the place of one that waits.
    #[must_use]
    pub const fn with_permit(self, id: u64) -> Self {
        Self { permit: id, ..self }
    }

    /// The key under which the state lives.
    #[must_use]
    pub const fn key(&self) -> &StoreKey<'a> {
        &self.key
    }

    /// The limit to decide by. It comes with the request: a store keeps state, not rules.
    #[must_use]
    pub const fn limit(&self) -> &'a Limit {
        self.limit
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
}

/// The stacks of a batch: slices of requests that pass together; most have one.
///
/// # Errors
///
/// A stack without an end, or with a key twice: each member would be judged without the charge of the other.
pub(crate) fn stacks<'s, 'a>(
    requests: &'s [Request<'a>],
) -> Result<impl Iterator<Item = &'s [Request<'a>]>, Error> {
    if requests.last().is_some_and(Request::passes_with_next) {
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

/// A request that borrows nothing.
pub(crate) struct OwnedRequest {
    key: SmallVec<[u8; 64]>,
    limit: Limit,
    cost: u32,
    permit: u64,
    with_next: bool,
}

impl OwnedRequest {
    pub(crate) fn of(request: &Request<'_>) -> Self {
        Self {
            key: SmallVec::from_slice(request.key().as_bytes()),
            limit: *request.limit(),
            cost: request.cost(),
            permit: request.permit(),
            with_next: request.passes_with_next(),
        }
    }

    pub(crate) fn request(&self) -> Request<'_> {
        let request = Request::new(StoreKey::new(&self.key), &self.limit, self.cost).with_permit(self.permit);
        if self.with_next { request.with_next() } else { request }
    }
}

/// What happens to units after a decision.
#[derive(Clone, Copy, Debug)]
pub struct Adjustment<'a> {
    pub(super) key: StoreKey<'a>,
    pub(super) limit: &'a Limit,
    pub(super) units: u32,
    pub(super) change: Change,
}

/// The sort of an [`Adjustment`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// Units of the charge with this stamp ([`Decision::stamp`](crate::Decision::stamp)) are given back, as far as they
    /// are still in use; nothing, if the charge is void. For a permit the stamp is its id.
    Give(u64),
    /// Units are charged whether there is room or not, at most one capacity deep. Not for concurrency.
    Take,
    /// The lease of the permit with this id begins anew, if it has not ended.
    Renew(u64),
}

impl<'a> Adjustment<'a> {
    /// A change of so many units under a key.
    #[must_use]
    pub const fn new(key: StoreKey<'a>, limit: &'a Limit, units: u32, change: Change) -> Self {
        Self { key, limit, units, change }
    }

    /// The key under which the state lives.
    #[must_use]
    pub const fn key(&self) -> &StoreKey<'a> {
        &self.key
    }

    /// The limit by which the units were charged.
    #[must_use]
    pub const fn limit(&self) -> &'a Limit {
        self.limit
    }

    /// So many units, at most.
    #[must_use]
    pub const fn units(&self) -> u32 {
        self.units
    }

    /// What happens to them.
    #[must_use]
    pub const fn change(&self) -> Change {
        self.change
    }

    /// Whether such a change can be made of this limit.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let wrong = match (self.change, self.limit.is_concurrency()) {
            (Change::Take, true) => "a permit cannot be taken without asking",
            (Change::Renew(_), false) => "only the permits of a concurrency limit are renewed",
            _ => return Ok(()),
        };
        Err(Error::new(ErrorKind::Configuration, wrong))
    }
}

/// An adjustment that borrows nothing.
pub(crate) struct OwnedAdjustment {
    key: SmallVec<[u8; 64]>,
    limit: Limit,
    units: u32,
    change: Change,
}

impl OwnedAdjustment {
    pub(crate) fn of(adjustment: &Adjustment<'_>) -> Self {
        let Adjustment { key, limit, units, change } = *adjustment;
        Self { key: SmallVec::from_slice(key.as_bytes()), limit: *limit, units, change }
    }

    pub(crate) fn adjustment(&self) -> Adjustment<'_> {
        Adjustment::new(StoreKey::new(&self.key), &self.limit, self.units, self.change)
    }
}
