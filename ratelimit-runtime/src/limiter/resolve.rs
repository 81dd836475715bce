//! Makes a request to the store from a limit and a key: completes the key, and applies the override.

use super::RateLimiter;
use crate::error::{Error, ErrorKind};
use crate::key::{self, AsKey, Name};
use crate::limit::{Algorithm, Limit};
use crate::observe::IdentityHash;
use crate::random;
use crate::store::cost::Cost;
use crate::store::{NO_PERMIT, Request, StoreKey};

impl RateLimiter {
    /// Completes a request that has the limit in the code. Applies the override, adds the format of the state to the key, and
    /// sets the permit's id if the limit is a concurrency limit.
    #[expect(
        clippy::inline_always,
        reason = "every decision calls it, and it does little unless there are overrides"
    )]
    #[inline(always)]
    pub(crate) fn resolve(&self, name: &str, request: &mut Request) {
        if let Some(limit) = self.shared.overrides.apply(name, request.key(), request.limit()) {
            request.limit = limit;
        }
        request.add_format();
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
        let mut rendered = key::render(&key, self.keys())?;
        rendered.add_format(&Limit::any_of(algorithm));
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
        let mut request = Request::of_cost(*limit, cost);
        self.prepare(&mut request, Name::new(key.name()), key)?;
        Ok(request)
    }

    /// Writes the key of a request in place, and [resolves](Self::resolve) the request. `name` is the name of the key.
    #[inline]
    pub(super) fn prepare(
        &self,
        request: &mut Request,
        name: Name<'_>,
        key: &impl AsKey,
    ) -> Result<(), Error> {
        match key::render_into(&mut request.key, name, key, self.keys()) {
            Err(error) if !self.is_off() => return Err(error), // while limits are off, nobody reads the key
            _ => self.resolve(name.as_str(), request),
        }
        Ok(())
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
