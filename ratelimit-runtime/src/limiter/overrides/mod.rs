//! Overrides: changes of limits while the service runs, for a name or for one key.

mod entry;
mod groups;
mod list;
mod published;
mod replace;
mod secret;
mod snapshot;

use crate::macros::opaque;
pub use list::{KnownLimit, Override, OverrideEffect, OverrideTarget};
pub use replace::OverrideUpdate;
pub(crate) use snapshot::Snapshot;

use super::RateLimiter;
use crate::error::{Error, ErrorKind};
use crate::key::{self, AsKey};
use crate::limit::LimitChange;
use entry::changed;
use entry::{field_of_key, field_of_name};
use published::misfit;
use std::future::Future;
use std::time::Duration;

/// The overrides of a limiter: changes of limits while the service runs.
///
/// The store has the overrides for all processes with the same prefix. The processes see a change within a second, and overrides
/// survive restarts. Each override is for a name or for one key. If both exist for a call, the override for the key applies.
///
/// An override is a [`LimitChange`]. Numbers that it does not name keep their values in the code. A whole [`Limit`](crate::Limit)
/// replaces all numbers. A concurrency limit and another limit cannot replace each other.
///
/// If an override does not fit its limit, the part that fits applies, so that the override still refuses calls. A bucket that
/// would take more than 366 days to refill gets a smaller capacity. A number that the algorithm does not take is ignored. The
/// process logs a warning at the first call, and [`list`](Self::list) returns the reason in [`Override::effect`]. A lease
/// always fits, because it is adapted to the other numbers.
///
/// Units that are in use stay in use. A smaller limit refuses calls until enough units have come back:
///
/// | | when the numbers change |
/// |---|---|
/// | counter | the units and the end of the window stay; if the window would last longer than the new `time`, the next admitted call shortens it to `time`. 80 of 100 used, then `count = 50`: calls are refused until the window ends |
/// | token and leaky bucket | units that came back since the last write of the state are counted at the new rate, for at most one period. 80 of 100 in use, then `burst = 50`: calls are refused until 30 units and the cost have come back |
/// | sliding window | the units of the current and the previous cell (an interval of length `time`) stay. 80 of 100 used, then `count = 50`: calls are refused until the window has moved far enough |
/// | sliding log | the stored times stay; those within the new `time` count |
/// | concurrency | permits stay. 8 of 10 held, then `count = 5`: calls are refused until 4 permits have been returned |
///
/// [`reset`](RateLimiter::reset) deletes the state. If an override changes the algorithm, the limit starts from zero.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use ratelimit::overrides::LimitChange;
/// use ratelimit::{Key, Limit, RateLimiter};
/// use std::time::Duration;
///
/// let limiter = RateLimiter::in_memory();
/// let login = Limit::counter(5, Duration::from_secs(60));
/// limiter.overrides().set("login", LimitChange::new().count(2)).await?;
/// limiter.overrides().set(Key::new("login").by("office"), "count=100".parse::<LimitChange>()?).await?;
///
/// assert_eq!(limiter.peek(&login, Key::new("login").by("somebody")).await?.capacity(), 2);
/// assert_eq!(limiter.peek(&login, Key::new("login").by("office")).await?.capacity(), 100);
/// limiter.overrides().remove("login").await?;
/// assert_eq!(limiter.peek(&login, Key::new("login").by("somebody")).await?.capacity(), 5);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
pub struct Overrides<'l> {
    limiter: &'l RateLimiter,
}

/// The shortest and the longest time for which an override that expires applies.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(366 * 86_400);
const EMPTY: &str = "the override changes nothing: name a number, as in `count=50`, or call `remove`";
const WRONG_TIME: &str = "the time of an override that expires must be from 1 s to 366 days";

impl<'l> Overrides<'l> {
    pub(super) const fn of(limiter: &'l RateLimiter) -> Self {
        Self { limiter }
    }

    /// Changes the limit of a name or of one key. A string, or a [`Key`](crate::Key) that has only a name, selects all keys of
    /// that name. This process sees the change at once, and the other processes within a second. If the future is dropped, the
    /// change may be saved or not.
    ///
    /// # Errors
    ///
    /// - The store cannot save the change, whatever the failure policy is, or the key has an absent identity.
    /// - The change is empty, or one of its numbers is out of range for every limit.
    /// - The change does not fit the limit with this name. This process must know that limit: running processes have
    ///   [published](RateLimiter::published_limits) it, or this limiter has decided it. All calls must have had the same limit.
    ///   In all other cases, [`Override::effect`] reports the misfit.
    /// - The key contains the hash of an identity, and running processes use
    ///   [another secret](RateLimiter::check_hash_secret).
    ///
    /// A name that no process has published is only logged as a warning, because the first call of its limit may follow later.
    pub fn set(
        self,
        key: impl AsKey,
        change: impl Into<LimitChange>,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        self.set_until(key.name().to_owned(), self.field(&key), change.into(), None)
    }

    /// Does the same as [`set`](Self::set), but the override expires after this time, by the clock of the store. From then on, no
    /// process applies the override, and a process that loads the overrides removes it.
    ///
    /// A process computes the end when it learns of the override, so a wrong clock of the process's machine does not matter.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ratelimit::overrides::LimitChange;
    /// use ratelimit::{Key, RateLimiter, per};
    ///
    /// let limiter = RateLimiter::in_memory();
    /// // Nobody logs in as ann for an hour.
    /// limiter.overrides().set_for(Key::new("login").by("ann"), LimitChange::new().count(0), per::HOUR).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`set`](Self::set), and an error if the time is not from 1 s to 366 days.
    pub fn set_for(
        self,
        key: impl AsKey,
        change: impl Into<LimitChange>,
        time: Duration,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        self.set_until(key.name().to_owned(), self.field(&key), change.into(), Some(time))
    }

    async fn set_until(
        self,
        name: String,
        field: Result<Field, Error>,
        change: LimitChange,
        expires: Option<Duration>,
    ) -> Result<(), Error> {
        let change = self.checked(&name, change).and_then(|change| {
            let fits = expires.is_none_or(|time| (SHORTEST..=LONGEST).contains(&time));
            if fits { Ok(change) } else { Err(Error::new(ErrorKind::Limit, WRONG_TIME)) }
        });
        let (change, field) = (change?, field?.checked(self.limiter).await?);
        self.limiter.check_override(&name, &change).await?;
        self.save(&field, Some(&change.to_string()), expires).await
    }

    /// Removes an override. If a key's override is removed, the override of the name applies again, if there is one. Otherwise
    /// the limit in the code applies again.
    ///
    /// # Errors
    ///
    /// The store cannot remove the override, whatever the failure policy is, or the key has an absent identity or was hashed with
    /// [another secret](RateLimiter::check_hash_secret). It is not an error if there was no override.
    pub async fn remove(self, key: impl AsKey) -> Result<(), Error> {
        let field = self.field(&key)?.checked(self.limiter).await?;
        self.save(&field, None, None).await
    }

    /// Removes an override that [`list`](Self::list) returned.
    ///
    /// # Errors
    ///
    /// The errors of [`remove`](Self::remove).
    pub async fn remove_target(self, target: &OverrideTarget) -> Result<(), Error> {
        self.save(&target.field(), None, None).await
    }

    /// Returns the override of exactly this name or key, as the store has it now. `None` if there is no such override, or if its
    /// text cannot be read.
    ///
    /// # Errors
    ///
    /// The store does not reply, whatever the failure policy is, or the key has an absent identity or was hashed with
    /// [another secret](RateLimiter::check_hash_secret).
    pub async fn get(self, key: impl AsKey) -> Result<Option<LimitChange>, Error> {
        let field = self.field(&key)?.checked(self.limiter).await?;
        self.limiter.refresh_overrides().await?;
        Ok(self.limiter.shared.overrides.entry(&field).map(|entry| entry.change))
    }

    /// Returns all overrides that have not expired, as the store has them now. The overrides for names come first, in the order
    /// of their names, then the overrides for keys.
    ///
    /// # Errors
    ///
    /// The store does not reply, whatever the failure policy is.
    pub async fn list(self) -> Result<Vec<Override>, Error> {
        self.limiter.refresh_overrides().await?;
        let entries = self.limiter.shared.overrides.entries();
        let in_force = entries.iter().filter(|(_, entry)| entry.is_in_force());
        let mut list: Vec<Override> = in_force.map(|(field, entry)| Override::of(field, entry)).collect();
        list.sort_by(|a, b| a.target().cmp(b.target()));
        Ok(list)
    }

    /// Returns the change, or an error if this process knows that the change does not fit the limit with this name.
    fn checked(self, name: &str, change: LimitChange) -> Result<LimitChange, Error> {
        if change.is_empty() {
            return Err(Error::new(ErrorKind::Limit, EMPTY));
        }
        let change = change.checked()?;
        match self.limiter.own_limit(name).and_then(|limit| changed(&change, &limit).err()) {
            Some(reason) => Err(misfit(reason)),
            None => Ok(change),
        }
    }

    async fn save(self, field: &[u8], change: Option<&str>, expires: Option<Duration>) -> Result<(), Error> {
        let (store, key) = (&self.limiter.shared.store, self.limiter.overrides_key());
        store.within_deadline(store.bare().save_override(&key, field, change, expires)).await?;
        self.limiter.refresh_overrides().await
    }

    fn field(self, key: &impl AsKey) -> Result<Field, Error> {
        // The key of an override does not show that calls of this process have hashed identities.
        let settings = self.limiter.keys().separate();
        let rendered = key::render(key, &settings)?;
        let is_name = rendered == key::render(key.name(), &settings)?;
        let bytes = if is_name { field_of_name(key.name()) } else { field_of_key(&rendered) };
        Ok(Field { bytes, is_hashed: settings.has_hashed() })
    }
}

/// The field of an override in the store.
struct Field {
    bytes: Vec<u8>,
    /// Whether it contains the hash of an identity.
    is_hashed: bool,
}

impl Field {
    /// Returns the bytes, or an error if running processes hash identities with another secret.
    async fn checked(self, limiter: &RateLimiter) -> Result<Vec<u8>, Error> {
        if self.is_hashed {
            limiter.ensure_shared_secret().await?;
        }
        Ok(self.bytes)
    }
}

impl RateLimiter {
    async fn refresh_overrides(&self) -> Result<(), Error> {
        if let Some(overridden) = self.shared.store.within_deadline(self.load_overrides()).await? {
            self.shared.overrides.replace(overridden);
        }
        Ok(())
    }
}

opaque!(Overrides<'_>);
