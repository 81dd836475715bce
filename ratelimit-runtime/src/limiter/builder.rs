//! `RateLimiterBuilder`: the settings of a limiter, and the checks of their ranges.

mod check;
mod off;
mod proxies;

use super::current::{PREFIX, TRUSTED_PROXIES, URL, variable};
use super::lease::Leases;
use super::off::OffStore;
use super::overrides::Snapshot;
use super::permits::Permits;
use super::status::Probes;
use super::store_call::StoreCalls;
use super::{OnError, RateLimiter, Shared};
use crate::debug::opaque;
use crate::error::Error;
use crate::key::KeySettings;
use crate::observe::{Hook, Hooks, Observers, Share};
use crate::proxies::{Proxies, Settings};
use crate::store::Store;
use crate::store::memory::MemoryStore;
use crate::store::redis::RedisStore;
use crate::tasks::Tasks;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Builds a [`RateLimiter`].
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use ratelimit::{OnError, RateLimiter};
/// use std::time::Duration;
///
/// let limiter = RateLimiter::builder()
///     .redis("redis://127.0.0.1")
///     .prefix("shop")
///     .deadline(Duration::from_millis(50))
///     .on_error(OnError::Deny)
///     .connect()
///     .await?;
/// ratelimit::install(limiter)?;
/// # Ok(()) }
/// ```
#[must_use = "a builder does nothing until you call `build` or `connect`"]
pub struct RateLimiterBuilder {
    source: Source,
    prefix: Option<String>,
    service_version: Option<String>,
    secret: Option<Vec<u8>>,
    ipv6_prefix: u8,
    proxies: Settings,
    deadline: Duration,
    on_error: OnError,
    deny_cache: bool,
    hook: Option<Arc<dyn Hook>>,
    near_limit: Share,
    pub(super) off: bool,
}

enum Source {
    Memory,
    Redis(String),
    Store(Box<dyn Store>),
}

impl Default for RateLimiterBuilder {
    fn default() -> Self {
        Self {
            source: Source::Memory,
            prefix: None,
            service_version: None,
            secret: None,
            ipv6_prefix: 64,
            proxies: Settings::default(),
            deadline: Duration::from_millis(100),
            on_error: OnError::default(),
            deny_cache: true,
            hook: None,
            near_limit: Share::DEFAULT,
            off: false,
        }
    }
}

/// The prefix of keys, unless another one is set.
const DEFAULT_PREFIX: &str = "ratelimit";

/// The id of the next limiter.
static NEXT_ID: AtomicU64 = AtomicU64::new(0);

impl RateLimiterBuilder {
    /// Stores the limits' state in the Redis or Valkey servers at `url`, shared by all processes:
    /// `redis://[user:password@]host[:port][/database]`, `redis+sentinel://host,host/name`, `redis+cluster://host,host`,
    /// `redis+unix:///path/to/socket`, and `rediss` for encrypted connections. `valkey` may stand for `redis`. See
    /// [`RedisStore::new`] for the details.
    pub fn redis(self, url: impl Into<String>) -> Self {
        Self { source: Source::Redis(url.into()), ..self }
    }

    /// Uses your own store. If both this and [`redis`](Self::redis) are called, the last call wins.
    pub fn store(self, store: impl Store) -> Self {
        Self { source: Source::Store(Box::new(store)), ..self }
    }

    /// Sets the first part of every key. The default is the environment variable `RATELIMIT_PREFIX`, else `ratelimit`. Set it if
    /// several applications share a server. A prefix has 1 to 64 visible ASCII characters without braces.
    pub fn prefix(self, prefix: impl Into<String>) -> Self {
        Self { prefix: Some(prefix.into()), ..self }
    }

    /// Sets the version of the service, such as `env!("CARGO_PKG_VERSION")`. The command `ratelimit` shows which version has which
    /// limits. A version has 1 to 64 visible ASCII characters.
    pub fn service_version(self, version: impl Into<String>) -> Self {
        Self { service_version: Some(version.into()), ..self }
    }

    /// Sets the secret of the keyed hashes that replace long and secret values in keys. All processes that share limits
    /// need the same secret. The default is the environment variable `RATELIMIT_HASH_SECRET`. If that is not set either,
    /// the secret is derived from the prefix, which is public: anybody who can read the store can then test guesses of
    /// the hashed values.
    pub fn hash_secret(self, secret: impl Into<Vec<u8>>) -> Self {
        Self { secret: Some(secret.into()), ..self }
    }

    /// Sets the number of leading bits of an IPv6 address that identify a client, from 48 to 128. The default is 64,
    /// because a single customer usually has a whole /64 network.
    pub fn ipv6_prefix(self, bits: u8) -> Self {
        Self { ipv6_prefix: bits, ..self }
    }

    /// Sets how long a decision may take, at least 1 ms. The default is 100 ms. After the deadline the failure policy
    /// applies, although the store may have charged the call. With [`OnError::Local`], the default, a process that
    /// stalls for that long may admit calls by its own count.
    pub fn deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// Sets the failure policy for calls while the store is unavailable. The default is [`OnError::Local`].
    pub fn on_error(self, on_error: OnError) -> Self {
        Self { on_error, ..self }
    }

    /// Sets whether this process remembers refusals for a short time, so that a flood of refused calls does not reach a
    /// remote store. The default is `true`.
    ///
    /// A remembered refusal also refuses calls with the same key and limit that need at least as many units, until the
    /// refused call would pass, for at most one second. Units that this process returns, and its resets and overrides,
    /// apply at once. Those of other processes apply within that second; until then a call may be refused that could
    /// pass. Permits, limits with a [`wait`](crate::Limit::wait) and stacks of limits always ask the store. The deny cache
    /// uses at most about 12 MB, when a hundred thousand keys are refused within one second.
    ///
    /// The deny cache uses tokio's clock. A test that advances the clock of its own store must also advance tokio's clock
    /// or disable the deny cache.
    pub fn deny_cache(self, deny_cache: bool) -> Self {
        Self { deny_cache, ..self }
    }

    /// Sets what hears of refusals and outages. [`Hook`] says when and in which thread. If it is called again, the last call wins.
    pub fn hook(self, hook: impl Hook) -> Self {
        Self { hook: Some(Arc::new(hook)), ..self }
    }

    /// Sets the share of a limit from which on it is nearly used up, for [`Hook::near_limit`] and the metric `ratelimit.near_limit`. It
    /// is from 0.0 to 1.0; a number beyond is cut. The default is 0.8. At 0.0 no limit is ever nearly used up.
    pub fn near_limit(self, share: f64) -> Self {
        Self { near_limit: Share::of(share), ..self }
    }

    /// Checks the settings and returns the limiter. It connects to no server: the first call does, so a service starts while Redis
    /// is unavailable, and [`connect`](Self::connect) finds a wrong password at the start.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) for settings out of range, a malformed URL, or an unknown value
    /// of `RATELIMIT_OFF`.
    pub fn build(self) -> Result<RateLimiter, Error> {
        self.assemble().map(|(limiter, _)| limiter)
    }

    /// Builds the limiter, and asks the servers at the [URL](Self::redis) for one decision, under a key of its own. With another
    /// store it does the same as [`build`](Self::build).
    ///
    /// # Errors
    ///
    /// Those of [`build`](Self::build). Of the servers: [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if
    /// one is not what the URL says, or refuses the password or the script; [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable)
    /// if it does not reply within 5 seconds.
    pub async fn connect(self) -> Result<RateLimiter, Error> {
        let (limiter, redis) = self.assemble()?;
        if let Some(redis) = redis {
            redis.verify(limiter.keys().prefix()).await?;
            let _ = limiter.learn_overrides().await;
        }
        Ok(limiter)
    }

    /// Returns the limiter without connecting, and its Redis store if it has one.
    fn assemble(mut self) -> Result<(RateLimiter, Option<RedisStore>), Error> {
        if self.prefix.is_none() {
            self.prefix = variable(PREFIX)?;
        }
        self.check()?;
        let mut this = self.off_by_environment()?;
        if this.proxies.is_empty() && std::env::var_os(TRUSTED_PROXIES).is_some() {
            tracing::warn!("a builder does not read {TRUSTED_PROXIES}; this limiter trusts no proxies");
        }
        let proxies = std::mem::take(&mut this.proxies).build()?;
        let (store, redis): (Box<dyn Store>, _) = match std::mem::replace(&mut this.source, Source::Memory) {
            Source::Redis(url) => {
                let redis = RedisStore::new(&url)?; // a malformed URL is an error also while limits are off
                if this.off { (Box::new(OffStore), None) } else { (Box::new(redis.clone()), Some(redis)) }
            }
            _ if this.off => (Box::new(OffStore), None),
            Source::Store(store) => (store, None),
            Source::Memory => {
                if std::env::var_os(URL).is_some() {
                    tracing::warn!("a builder does not read {URL}; this limiter keeps rate limits in memory");
                }
                (Box::new(MemoryStore::new()), None)
            }
        };
        let takes_leases = !this.off;
        Ok((this.around(store, proxies, takes_leases), redis))
    }

    /// Returns a limiter in memory with these settings.
    pub(super) fn in_memory(self) -> RateLimiter {
        self.around(Box::new(MemoryStore::new()), Proxies::default(), true)
    }

    /// Returns the limiter with these settings, this store and these proxies.
    fn around(self, store: Box<dyn Store>, proxies: Proxies, takes_leases: bool) -> RateLimiter {
        let secret = self.secret.or_else(|| std::env::var_os("RATELIMIT_HASH_SECRET").map(os_bytes));
        let prefix = self.prefix.as_deref().unwrap_or(DEFAULT_PREFIX);
        let keys = KeySettings::new(prefix, secret.as_deref(), self.ipv6_prefix);
        let tasks = Tasks::default();
        let hooks = Hooks::new(self.hook, &tasks);
        RateLimiter {
            shared: Arc::new(Shared {
                id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
                keys,
                service_version: self.service_version.map(Into::into),
                proxies,
                off: self.off,
                store: StoreCalls::new(store, self.deadline, self.deny_cache, hooks.clone()),
                overrides: Snapshot::default(),
                permits: Permits::default(),
                leases: Leases::new(takes_leases),
                probes: Probes::default(),
                tasks,
                observers: Observers::new(self.off, hooks, self.near_limit),
            }),
            on_error: self.on_error,
        }
    }

    /// Returns a limiter for tests: every call asks this store, which decides by its own clock.
    ///
    /// # Errors
    ///
    /// If a setting is out of range.
    pub(crate) fn around_for_tests(mut self, store: impl Store) -> Result<RateLimiter, Error> {
        self.check()?;
        let proxies = std::mem::take(&mut self.proxies).build()?;
        Ok(self.around_test_store(store, proxies))
    }

    /// The same without the checks, for settings that need none.
    pub(crate) fn around_test_store(self, store: impl Store, proxies: Proxies) -> RateLimiter {
        Self { deny_cache: false, off: false, ..self }.around(Box::new(store), proxies, false)
    }
}

fn os_bytes(value: std::ffi::OsString) -> Vec<u8> {
    value.into_encoded_bytes()
}

opaque! {
    /// Omits the URL, which may contain a password, and the secret.
    RateLimiterBuilder, |this| prefix = this.prefix, deadline = this.deadline, on_error = this.on_error
}
