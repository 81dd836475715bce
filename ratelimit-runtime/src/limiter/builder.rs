//! Puts a limiter together, and refuses what cannot work.

use super::current::URL;
use super::deny_cache::DenyCache;
use super::lease::Leases;
use super::outage::Outage;
use super::overrides::Snapshot;
use super::permit_waiters::PermitWaiters;
use super::renewals::Renewals;
use super::tasks::Tasks;
use super::{OnError, RateLimiter, Shared};
use crate::error::{Error, ErrorKind};
use crate::key::{KeySettings, derive_key};
use crate::store::Store;
use crate::store::memory::MemoryStore;
use crate::store::redis::RedisStore;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Settings of a [`RateLimiter`] to be.
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
///     .build()
///     .await?;
/// ratelimit::install(limiter)?;
/// # Ok(()) }
/// ```
#[must_use = "a builder does nothing until it is built"]
pub struct RateLimiterBuilder {
    source: Source,
    lazily: bool,
    prefix: String,
    secret: Option<Vec<u8>>,
    ipv6_prefix: u8,
    deadline: Duration,
    on_error: OnError,
    deny_cache: bool,
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
            lazily: false,
            prefix: "ratelimit".to_owned(),
            secret: None,
            ipv6_prefix: 64,
            deadline: Duration::from_millis(100),
            on_error: OnError::default(),
            deny_cache: true,
        }
    }
}

impl RateLimiterBuilder {
    /// Keeps limits in the Redis or Valkey servers at `url`, shared by all processes:
    /// `redis://[user:password@]host[:port][/database]`, `redis+sentinel://host,host/name`, `redis+cluster://host,host`,
    /// `redis+unix:///path/to/socket`, and `rediss` for encrypted connections. [`RedisStore::new`] says more.
    pub fn redis(self, url: impl Into<String>) -> Self {
        Self { source: Source::Redis(url.into()), ..self }
    }

    /// Keeps limits in a store of your own making. Of this and [`redis`](Self::redis) the last one counts.
    pub fn store(self, store: impl Store) -> Self {
        Self { source: Source::Store(Box::new(store)), ..self }
    }

    /// Does not connect in [`build`](Self::build): for services that must start even while Redis is away.
    pub fn connect_lazily(self) -> Self {
        Self { lazily: true, ..self }
    }

    /// The first part of every key: `ratelimit`, unless several applications share a server. 1 to 64 visible ASCII
    /// characters without braces.
    pub fn prefix(self, prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), ..self }
    }

    /// Keys the hashes that stand for long and secret values in keys. All processes that share limits need the same
    /// one. Without it `RATELIMIT_HASH_SECRET` is taken, else one is derived from the prefix, which is no secret:
    /// whoever reads the store could then test guesses of what was hashed.
    pub fn hash_secret(self, secret: impl Into<Vec<u8>>) -> Self {
        Self { secret: Some(secret.into()), ..self }
    }

    /// Counts IPv6 clients by so many leading bits of their address, 48 to 128; 64 unless said. A single customer
    /// usually has a whole /64.
    pub fn ipv6_prefix(self, bits: u8) -> Self {
        Self { ipv6_prefix: bits, ..self }
    }

    /// How long a decision may take, from 1 ms; 100 ms unless said. Later the failure policy applies, and the call
    /// may have been counted: with [`OnError::Local`], the default, a process that stalls that long may admit calls
    /// on its own count.
    pub fn deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// What happens to calls when the store is out of reach; [`OnError::Local`] unless said.
    pub fn on_error(self, on_error: OnError) -> Self {
        Self { on_error, ..self }
    }

    /// Whether refusals are remembered for a moment, so that a flood of calls that cannot pass does not reach a store that
    /// has to be waited for; they are unless said.
    ///
    /// A refusal answers calls on the same key, limit and cost (or a higher one) until the refused call would pass, and for
    /// a second at most. What this process gives back, resets or overrides counts at once; what others do, within that
    /// second: until then a call may be refused that could pass. Permits, limits with a [`wait`](crate::Limit::wait) and limits
    /// that are decided together always ask the store. At most about 12 MB are used, when a hundred thousand keys are
    /// refused in one second.
    ///
    /// Time is tokio's here. A test that moves the clock of a store of its own moves tokio's too, or turns this off.
    pub fn deny_cache(self, deny_cache: bool) -> Self {
        Self { deny_cache, ..self }
    }

    /// Checks the settings, connects, and makes the limiter.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Configuration`] for settings out of range, a malformed URL, a wrong password or missing
    /// permissions; [`ErrorKind::Unavailable`] for a server that is not there. No message holds a password.
    pub async fn build(self) -> Result<RateLimiter, Error> {
        let lazily = self.lazily;
        let (limiter, redis) = self.assemble()?;
        if let Some(redis) = redis.filter(|_| !lazily) {
            redis.verify(&limiter.keys().prefix).await?;
            limiter.learn_overrides().await;
        }
        Ok(limiter)
    }

    /// The limiter, not connected, and its Redis store if it has one.
    pub(super) fn assemble(mut self) -> Result<(RateLimiter, Option<RedisStore>), Error> {
        self.check()?;
        Ok(match std::mem::replace(&mut self.source, Source::Memory) {
            Source::Memory => {
                if std::env::var_os(URL).is_some() {
                    tracing::warn!("a builder does not read {URL}: this limiter keeps its limits in memory");
                }
                (self.around(Box::new(MemoryStore::new())), None)
            }
            Source::Store(store) => (self.around(store), None),
            Source::Redis(url) => {
                let redis = RedisStore::new(&url)?;
                (self.around(Box::new(redis.clone())), Some(redis))
            }
        })
    }

    /// The limiter that these settings make of a store.
    pub(super) fn around(self, store: Box<dyn Store>) -> RateLimiter {
        let secret = self.secret.or_else(|| std::env::var_os("RATELIMIT_HASH_SECRET").map(os_bytes));
        let keys = KeySettings {
            secret: derive_key(secret.as_deref().unwrap_or(self.prefix.as_bytes())),
            prefix: self.prefix.into(),
            ipv6_prefix: self.ipv6_prefix,
        };
        RateLimiter {
            shared: Arc::new(Shared {
                store,
                keys,
                deadline: self.deadline,
                local: OnceLock::new(),
                outage: Outage::new(),
                deny_cache: self.deny_cache.then(DenyCache::new),
                overrides: Snapshot::default(),
                renewals: Renewals::default(),
                leases: Leases::default(),
                permit_waiters: PermitWaiters::default(),
                tasks: Tasks::default(),
            }),
            on_error: self.on_error,
        }
    }

    fn check(&self) -> Result<(), Error> {
        let prefix = &self.prefix;
        let visible = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'{' | b'}');
        let wrong = if prefix.is_empty() || prefix.len() > 64 || !prefix.bytes().all(visible) {
            format!("the prefix has to be 1 to 64 visible ASCII characters without braces, not {prefix:?}")
        } else if !(48..=128).contains(&self.ipv6_prefix) {
            format!("the IPv6 prefix has to be 48 to 128 bits, not {}", self.ipv6_prefix)
        } else if self.deadline < Duration::from_millis(1) {
            format!("the deadline has to be at least 1 ms, not {:?}", self.deadline)
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::Configuration, wrong))
    }
}

fn os_bytes(value: std::ffi::OsString) -> Vec<u8> {
    value.into_encoded_bytes()
}

/// Without the URL and the secret.
impl fmt::Debug for RateLimiterBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimiterBuilder")
            .field("prefix", &self.prefix)
            .field("deadline", &self.deadline)
            .field("on_error", &self.on_error)
            .finish_non_exhaustive()
    }
}
