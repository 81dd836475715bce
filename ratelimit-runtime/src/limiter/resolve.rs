//! Makes a request to the store from a limit and a key: completes the key, and applies the override.

use super::RateLimiter;
use crate::error::{Error, ErrorKind};
use crate::key::{AsKey, KeyBuilder, Name, NameGroup};
use crate::limit::{Algorithm, Limit};
use crate::observe::IdentityHash;
use crate::random;
use crate::store::cost::Cost;
use crate::store::{NO_PERMIT, Request, StoreKey};

impl RateLimiter {
    /// Completes a request that has the limit in the code and no key. Renders the key, applies the override, and sets the permit's
    /// id if the limit is a concurrency limit. The values of `key` are complete.
    #[expect(
        clippy::inline_always,
        reason = "every decision calls it, and it does little unless there are overrides"
    )]
    #[inline(always)]
    pub(crate) fn resolve(&self, key: &KeyBuilder<'_>, request: &mut Request) {
        let (name, summand) = (key.name(), key.name().summand(self.keys().secrets));
        key.render(&mut request.key, self.keys());
        let (overrides, group) = (&self.shared.overrides, NameGroup::of(summand));
        if let Some(limit) = overrides.apply(name.as_str(), group, &request.key, &request.limit) {
            request.limit = limit;
        }
        key.add_format(summand, &mut request.key, &request.limit, self.keys());
        if let Some(hash) = key.caller_hash(self.keys()) {
            request.set_caller(hash);
        }
        if request.limit().is_concurrency() {
            request.set_permit(permit_id());
        }
    }

    /// Returns the key under which the store has the state of a limit with this algorithm. Use it for tools that read or delete
    /// states themselves. Overrides are not applied: if an override replaces the algorithm, pass the algorithm of the override.
    ///
    /// # Errors
    ///
    /// If an identity of the key is absent.
    pub fn store_key(&self, key: impl AsKey, algorithm: Algorithm) -> Result<StoreKey, Error> {
        let (mut builder, mut rendered) = (KeyBuilder::new(Name::new(key.name()), None), StoreKey::default());
        builder.add(&key, self.keys());
        builder.complete(self.keys())?;
        builder.render(&mut rendered, self.keys());
        let summand = builder.name().summand(self.keys().secrets);
        builder.add_format(summand, &mut rendered, &Limit::any_of(algorithm), self.keys());
        Ok(rendered)
    }

    /// Returns the hash of the identity of a key, as a [`Hook`](crate::observe::Hook) receives it. With this hash, you can look
    /// up a caller in a list of hashes that a hook has written. The name and the parts of the key do not change the hash.
    /// `None` if the key has no identity.
    ///
    /// ```
    /// use ratelimit::{Key, RateLimiter};
    ///
    /// let limiter = RateLimiter::in_memory();
    /// let hash = |key: Key<'_, _>| limiter.identity_hash(key).unwrap().unwrap();
    /// assert_eq!(hash(Key::new("login").by(7)), hash(Key::new("search").by(7)));
    /// assert_ne!(hash(Key::new("login").by(7)), hash(Key::new("login").by(8)));
    /// assert_eq!(limiter.identity_hash("login").unwrap(), None);
    /// ```
    ///
    /// # Errors
    ///
    /// If an identity of the key is absent.
    pub fn identity_hash(&self, key: impl AsKey) -> Result<Option<IdentityHash>, Error> {
        Ok(IdentityHash::of(self.keys(), &self.store_key(key, Algorithm::Counter)?))
    }

    /// Makes the request of a call to a method of the limiter.
    pub(super) fn request(&self, limit: &Limit, key: &impl AsKey, cost: Cost) -> Result<Request, Error> {
        let (mut request, mut builder) =
            (Request::of_cost(*limit, cost), KeyBuilder::new(Name::new(key.name()), None));
        self.collect(&mut builder, key, limit)?;
        self.resolve(&builder, &mut request);
        Ok(request)
    }

    /// Collects the values of a key for this limit.
    #[inline]
    pub(super) fn collect(
        &self,
        builder: &mut KeyBuilder<'_>,
        key: &impl AsKey,
        limit: &Limit,
    ) -> Result<(), Error> {
        builder.add(key, self.keys());
        if builder.has_caller() {
            limit.check_fair()?;
        }
        match builder.complete(self.keys()) {
            Err(error) if !self.is_off() => Err(error), // while limits are off, nobody reads the key
            _ => Ok(()),
        }
    }
}

/// Returns an error for a concurrency limit, because its units are held as permits and are not charged.
#[inline]
pub(super) fn ensure_not_concurrency(limit: &Limit) -> Result<(), Error> {
    if limit.is_concurrency() {
        return Err(Error::new(
            ErrorKind::Configuration,
            "a concurrency limit has permits, which are returned; use `permit` instead",
        ));
    }
    Ok(())
}

/// Returns a random id for a permit. Two permits under one key have the same id with a probability of 2^-52. This function is not
/// inlined, because few calls need an id.
#[inline(never)]
fn permit_id() -> u64 {
    NO_PERMIT + 1 + random::bits() % ((1 << 52) - 1 - NO_PERMIT)
}
