//! `block` and `unblock`: block the calls of a key, and end a block.

use crate::error::Error;
use crate::key::AsKey;
use crate::limit::Limit;
use crate::limiter::RateLimiter;
use crate::limiter::layers::invalid_reply;
use crate::store::Change;
use crate::store::cost::Cost;
use std::time::Duration;

impl RateLimiter {
    /// Refuses all calls of a key for this time, even if units are free. The limit needs no [`block`](Limit::block), and other
    /// processes need no setting. If the key is already blocked, the new time replaces the old time. The block does not apply
    /// to leased units that another process hands out. While the store is unavailable, the block does not apply to calls that a
    /// process decides by its own memory.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ratelimit::{Key, Limit, RateLimiter, per};
    ///
    /// const LOGIN: Limit = Limit::counter(5, per::MINUTE);
    /// let limiter = RateLimiter::in_memory();
    /// let ann = || Key::new("login").by("ann");
    ///
    /// limiter.block(&LOGIN, ann(), per::HOUR).await?;
    /// let rejection = limiter.check(&LOGIN, ann()).await.unwrap_err();
    /// assert!(rejection.retry_after() > Some(per::MINUTE));
    /// assert!(limiter.unblock(&LOGIN, ann()).await?);
    /// limiter.check(&LOGIN, ann()).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// - The store fails, whatever the failure policy is, or an identity of the key is absent.
    /// - The time is not from 1 ms to 366 days. A part of a millisecond is rounded up.
    /// - The limit is a sliding log or a concurrency limit, or the key has a value that no limit has written.
    /// - The key contains the hash of an identity, and running processes use [another secret](Self::check_hash_secret).
    pub async fn block(&self, limit: &Limit, key: impl AsKey, time: Duration) -> Result<(), Error> {
        let ms = u64::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX);
        match self.change_gate(limit, &key, Change::Block(ms)).await? {
            1 => Ok(()),
            _ if self.is_off() => Ok(()),
            _ => Err(invalid_reply()),
        }
    }

    /// Ends a block, even if a refusal has caused it. The steps of [`Limit::block`] start over. Returns whether the key was
    /// blocked. Units in use stay in use; [`reset`](Self::reset) deletes them too. [`block`](Self::block) has an example. If the
    /// future is dropped, the block may have ended or not.
    ///
    /// # Errors
    ///
    /// The errors of [`block`](Self::block).
    pub async fn unblock(&self, limit: &Limit, key: impl AsKey) -> Result<bool, Error> {
        Ok(self.change_gate(limit, &key, Change::Open).await? > 0)
    }

    async fn change_gate(&self, limit: &Limit, key: &impl AsKey, change: Change) -> Result<u32, Error> {
        self.check_hash_secret(key).await?;
        let began = self.learn_overrides().await;
        let request = self.request(limit, key, Cost::new(1))?;
        self.shared.leases.return_of(request.key());
        let _forgetting = self.shared.refusals.forget(std::iter::once(request.key()));
        let adjusting = self.shared.store.bare().adjust(&[request.adjustment(1, change)]);
        let changed = self.shared.store.within_rest(began, adjusting).await?;
        changed.first().copied().ok_or_else(invalid_reply)
    }
}
