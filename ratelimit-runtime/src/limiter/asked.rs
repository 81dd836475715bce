//! What a limiter is asked: limits under keys, with the overrides applied.

use super::RateLimiter;
use crate::error::{Error, ErrorKind};
use crate::key::{self, AsKey, RenderedKey};
use crate::limit::Limit;
use crate::store::Request;
use smallvec::SmallVec;
use std::borrow::Cow;

/// One limit under one key.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) key: RenderedKey,
    pub(crate) limit: Limit,
    pub(crate) cost: u32,
    pub(crate) permit: u64,
    /// Only looked at: its units are taken later.
    pub(crate) later: bool,
    /// Decided on the side, and never refuses.
    pub(crate) aside: bool,
}

/// Limits that are decided together, in the order in which they were written.
pub(crate) type Stack = SmallVec<[Asked; 1]>;

/// What is asked before it is known whether there are overrides.
pub(crate) struct Question {
    pub(crate) name: Cow<'static, str>,
    /// Without a format.
    pub(crate) key: RenderedKey,
    pub(crate) limit: Limit,
    pub(crate) cost: u32,
    pub(crate) later: bool,
    pub(crate) aside: bool,
}

impl Question {
    pub(crate) fn of(
        limiter: &RateLimiter,
        limit: &Limit,
        key: &(impl AsKey + ?Sized),
        cost: u32,
    ) -> Result<Self, Error> {
        // Only overrides ask for the name.
        let name = if limiter.has_no_overrides() { "".into() } else { key.name().to_owned().into() };
        let key = key::render(key, limiter.keys())?;
        Ok(Self { name, key, limit: *limit, cost, later: false, aside: false })
    }

    /// The limit that holds now, under the key of its state.
    pub(crate) fn resolve(mut self, limiter: &RateLimiter) -> Asked {
        self.settle(limiter);
        let permit = if self.limit.is_concurrency() { permit_id() } else { 0 };
        let Self { key, limit, cost, later, aside, .. } = self;
        Asked { key, limit, cost, permit, later, aside }
    }

    /// As [`resolve`](Self::resolve), in place: a key is too large to be moved about for each call.
    fn settle(&mut self, limiter: &RateLimiter) {
        let limit = limiter.overridden(&self.name, &self.key, &self.limit);
        self.key.add_format(&limit);
        self.limit = limit;
    }

    /// The request for units that are spent, not held.
    pub(super) fn spends(&mut self, limiter: &RateLimiter) -> Result<Request<'_>, Error> {
        self.settle(limiter);
        is_spent(&self.limit)?;
        Ok(Request::new(self.key.as_store_key(), &self.limit, self.cost))
    }
}

impl Asked {
    /// Whether its units are taken before the call, and nobody goes on without them.
    pub(crate) fn is_charged(&self) -> bool {
        !self.later && !self.aside
    }

    pub(crate) fn request(&self) -> Request<'_> {
        let request = Request::new(self.key.as_store_key(), &self.limit, self.cost);
        if self.permit > 0 { request.with_permit(self.permit) } else { request }
    }
}

/// Whether the units of a limit are spent, not held.
pub(super) fn is_spent(limit: &Limit) -> Result<(), Error> {
    if limit.is_concurrency() {
        return Err(Error::new(
            ErrorKind::Configuration,
            "the units of a concurrency limit are held, not spent: ask for a `permit`",
        ));
    }
    Ok(())
}

/// Makes a stack of requests.
pub(crate) fn joined<'a>(requests: impl Iterator<Item = Request<'a>>) -> SmallVec<[Request<'a>; 1]> {
    let mut stack: SmallVec<[Request<'a>; 1]> = requests.collect();
    if let [members @ .., _] = stack.as_mut_slice() {
        for request in members {
            *request = request.with_next();
        }
    }
    stack
}

/// Two permits that are held under one key at the same time have different ids but by a chance of one in 2^52.
fn permit_id() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    static RANDOM: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static NEXT: AtomicU64 = AtomicU64::new(0);
    // 1 is the id of nobody.
    2 + RANDOM.hash_one(NEXT.fetch_add(1, Ordering::Relaxed)) % ((1 << 52) - 2)
}
