//! Limits replaced while everything runs: for a name, or for one key.

mod snapshot;

pub(crate) use snapshot::Snapshot;

use super::RateLimiter;
use crate::error::Error;
use crate::key::{self, AsKey};
use crate::limit::Limit;
use snapshot::{KEY, NAME, entry_of_key, entry_of_name};
use std::fmt;
use std::future::Future;

/// The overrides of a limiter: limits that replace the ones in the code while everything runs.
///
/// They are kept in the store, for all processes with the same prefix, which see a change within a second, and they
/// survive restarts. Each is for a name, that is the text of the attribute's `key`, or for one key; the latter wins. An
/// override replaces the limit as a whole. Concurrency limits are replaced by concurrency limits only, and no other limit
/// by them.
///
/// What is in use stays in use. A smaller limit refuses until enough has come back:
///
/// | | when the numbers change |
/// |---|---|
/// | counter | the units of the window stay, and so does its end; with a shorter `time` the next call that passes ends it after that. 80 of 100 used, then `count = 50`: refused until the window ends |
/// | token and leaky bucket | what has come back is counted anew at the new rate since the state was last written down, at most one period. 80 of 100 in use, then `burst = 50`: refused until 30 have come back, and as many as are asked for |
/// | sliding window | the units of both cells stay. 80 of 100 used, then `count = 50`: refused until the window has slid far enough |
/// | sliding log | the moments stay; those within the new `time` count |
/// | concurrency | permits stay. 8 of 10 held, then `count = 5`: refused until 4 have come back |
///
/// [`reset`](RateLimiter::reset) is the short way. With another algorithm a limit starts fresh.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::Error> {
/// use ratelimit::{Key, Limit, RateLimiter};
/// use std::time::Duration;
///
/// let limiter = RateLimiter::in_memory();
/// let (minute, login) = (Duration::from_secs(60), Limit::counter(5, Duration::from_secs(60)));
/// limiter.overrides().set("login", &Limit::counter(2, minute)).await?;
/// limiter.overrides().set(Key::new("login").by("office"), &Limit::counter(100, minute)).await?;
///
/// assert_eq!(limiter.peek(&login, Key::new("login").by("somebody")).await?.limit(), 2);
/// assert_eq!(limiter.peek(&login, Key::new("login").by("office")).await?.limit(), 100);
/// limiter.overrides().remove("login").await?;
/// assert_eq!(limiter.peek(&login, Key::new("login").by("somebody")).await?.limit(), 5);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
pub struct Overrides<'l> {
    limiter: &'l RateLimiter,
}

impl<'l> Overrides<'l> {
    pub(super) const fn of(limiter: &'l RateLimiter) -> Self {
        Self { limiter }
    }

    /// Replaces the limit of a name (a string, or a [`Key`](crate::Key) with nothing but a name) or of one key. This
    /// process sees it at once.
    ///
    /// # Errors
    ///
    /// When the store cannot keep it, whatever the failure policy, or the key has an absent identity.
    pub fn set(self, key: impl AsKey, limit: &Limit) -> impl Future<Output = Result<(), Error>> + Send {
        self.save(self.entry(&key), Some(limit.to_string()))
    }

    /// Removes an override: the limit of the name, or that in the code, holds again.
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set). It is no error if there was none.
    pub fn remove(self, key: impl AsKey) -> impl Future<Output = Result<(), Error>> + Send {
        self.save(self.entry(&key), None)
    }

    /// Removes an override that [`list`](Self::list) has shown.
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set). It is no error if there was none.
    pub fn remove_target(self, target: &OverrideTarget) -> impl Future<Output = Result<(), Error>> + Send {
        let entry = match target {
            OverrideTarget::Name(name) => entry_of_name(name),
            OverrideTarget::Key(key) => [KEY, key.as_bytes()].concat(),
        };
        self.save(Ok(entry), None)
    }

    /// The override of exactly this name or key, as the store has it now.
    ///
    /// # Errors
    ///
    /// When the store cannot answer, whatever the failure policy.
    pub fn get(self, key: impl AsKey) -> impl Future<Output = Result<Option<Limit>, Error>> + Send {
        let (limiter, entry) = (self.limiter.clone(), self.entry(&key));
        async move {
            let entry = entry?;
            limiter.refresh_overrides().await?;
            let limits = limiter.shared.overrides.limits();
            Ok(limits.get(&entry).copied())
        }
    }

    /// All overrides, as the store has them now, in the order of their names.
    ///
    /// # Errors
    ///
    /// When the store cannot answer, whatever the failure policy.
    pub fn list(self) -> impl Future<Output = Result<Vec<Override>, Error>> + Send {
        let limiter = self.limiter.clone();
        async move {
            limiter.refresh_overrides().await?;
            let limits = limiter.shared.overrides.limits();
            let mut list: Vec<Override> =
                limits.iter().filter_map(|(entry, limit)| Override::of(entry, *limit)).collect();
            list.sort_by(|a, b| a.target.cmp(&b.target));
            Ok(list)
        }
    }

    fn save(
        self,
        entry: Result<Vec<u8>, Error>,
        limit: Option<String>,
    ) -> impl Future<Output = Result<(), Error>> + Send + use<> {
        let limiter = self.limiter.clone();
        async move {
            let (entry, place) = (entry?, limiter.overrides_key());
            let saved = limiter.shared.store.save_override(&place, &entry, limit.as_deref());
            limiter.within_deadline(saved).await?;
            limiter.refresh_overrides().await
        }
    }

    fn entry(self, key: &(impl AsKey + ?Sized)) -> Result<Vec<u8>, Error> {
        let rendered = key::render(key, self.limiter.keys())?;
        let is_name = rendered == key::render(key.name(), self.limiter.keys())?;
        Ok(if is_name { entry_of_name(key.name()) } else { entry_of_key(&rendered) })
    }
}

impl RateLimiter {
    async fn refresh_overrides(&self) -> Result<(), Error> {
        if let Some(overridden) = self.within_deadline(self.load_overrides()).await? {
            self.shared.overrides.replace(overridden);
        }
        Ok(())
    }
}

/// One override.
#[derive(Clone, PartialEq, Eq)]
pub struct Override {
    target: OverrideTarget,
    limit: Limit,
}

/// What an override is for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum OverrideTarget {
    /// All keys of a name: the text of the attribute's `key`.
    Name(String),
    /// One key, as it stands in the store, without the form at its end.
    Key(String),
}

impl Override {
    fn of(entry: &[u8], limit: Limit) -> Option<Self> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let target = match entry.strip_prefix(NAME) {
            Some(name) => OverrideTarget::Name(text(name)),
            None => OverrideTarget::Key(text(entry.strip_prefix(KEY)?)),
        };
        Some(Self { target, limit })
    }

    /// What it is for.
    #[must_use]
    pub const fn target(&self) -> &OverrideTarget {
        &self.target
    }

    /// The limit that holds instead of the one in the code.
    #[must_use]
    pub const fn limit(&self) -> &Limit {
        &self.limit
    }
}

impl fmt::Debug for OverrideTarget {
    /// Keys hold addresses and user names: they are not printed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.debug_tuple("Name").field(name).finish(),
            Self::Key(_) => f.debug_tuple("Key").finish_non_exhaustive(),
        }
    }
}

impl fmt::Debug for Override {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Override").field("target", &self.target).field("limit", &self.limit).finish()
    }
}

impl fmt::Debug for Overrides<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overrides").finish_non_exhaustive()
    }
}
