//! Several changes of overrides in one step, for tools.
//!
//! A tool computes its changes from all overrides and their version. One script compares the version and makes all changes or
//! none, so two operators never mix their changes.

use super::{EMPTY, OverrideTarget, Overrides};
use crate::error::{Error, ErrorKind};
use crate::limit::LimitChange;
use crate::macros::opaque;
use std::time::Duration;

/// One of the changes that [`Overrides::replace`] makes.
#[derive(Clone, PartialEq, Eq)]
pub struct OverrideUpdate {
    /// The calls to which the override applies.
    pub target: OverrideTarget,
    /// The new override. `None` removes the override.
    pub change: Option<LimitChange>,
    /// The time after which the override expires. `None` if it does not expire.
    pub expires_in: Option<Duration>,
}

impl Overrides<'_> {
    /// Returns the version of the overrides in the store, for [`replace`](Self::replace). Each change replaces the version.
    ///
    /// # Errors
    ///
    /// The store does not reply, whatever the failure policy is.
    pub async fn version(self) -> Result<u64, Error> {
        self.limiter.refresh_overrides().await?;
        Ok(self.limiter.shared.overrides.version())
    }

    /// Makes several changes in one step, and returns `true`. If another program has changed overrides since the version was
    /// read, changes nothing and returns `false`. It is for tools that compute changes from all overrides: first call
    /// [`version`](Self::version), and then [`list`](Self::list).
    ///
    /// The changes are stored as they are. A change that does not fit its limit is not an error, because an override that was in
    /// force must also be restored after the limit in the code has changed.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::Error> {
    /// use ratelimit::RateLimiter;
    /// use ratelimit::overrides::{LimitChange, OverrideTarget, OverrideUpdate};
    ///
    /// let limiter = RateLimiter::in_memory();
    /// let overrides = limiter.overrides();
    /// let update = |name: &str, change| {
    ///     OverrideUpdate { target: OverrideTarget::Name(name.to_owned()), change, expires_in: None }
    /// };
    ///
    /// let version = overrides.version().await?;
    /// let changes = [update("login", Some(LimitChange::new().count(2))), update("search", None)];
    /// assert!(overrides.replace(version, &changes).await?);
    /// assert!(!overrides.replace(version, &changes).await?, "the version has changed");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// The store cannot save the changes, whatever the failure policy is, or a change is empty. After a timeout, and if the future
    /// is dropped, all changes may be saved, or none.
    pub async fn replace(self, version: u64, changes: &[OverrideUpdate]) -> Result<bool, Error> {
        if changes.iter().any(|update| update.change.is_some_and(|change| change.is_empty())) {
            return Err(Error::new(ErrorKind::Limit, EMPTY));
        }
        let text = |update: &OverrideUpdate| update.change.map(|change| change.to_string());
        let changes: Vec<_> =
            changes.iter().map(|update| (update.target.field(), text(update), update.expires_in)).collect();
        let (store, key) = (&self.limiter.shared.store, self.limiter.overrides_key());
        let replaced = store.within_deadline(store.bare().replace_overrides(&key, version, &changes)).await?;
        self.limiter.refresh_overrides().await?;
        Ok(replaced)
    }
}

opaque! {
    /// Omits the target, which may be a key.
    OverrideUpdate, |this| change = this.change.map(|change| change.to_string()), expires_in = this.expires_in
}
