//! `RateLimiterBuilder`: the settings of a limiter.

mod build;
mod proxies;

use super::{OnError, RateLimiter};
use crate::error::Error;
use crate::macros::opaque;
use crate::observe::Hook;
use crate::proxies::Settings;
use crate::store::Store;
use crate::store::redis::AddressMap;
use std::sync::Arc;
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
    addresses: Option<AddressMap>,
    prefix: Option<String>,
    service_version: Option<String>,
    secret: Option<Vec<u8>>,
    ipv6_prefix: u8,
    proxies: Settings,
    deadline: Duration,
    on_error: OnError,
    deny_cache: bool,
    hook: Option<Arc<dyn Hook>>,
    near_limit: f64,
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
            addresses: None,
            prefix: None,
            service_version: None,
            secret: None,
            ipv6_prefix: 64,
            proxies: Settings::default(),
            deadline: Duration::from_millis(100),
            on_error: OnError::default(),
            deny_cache: true,
            hook: None,
            near_limit: 0.8,
            off: false,
        }
    }
}

impl RateLimiterBuilder {
    /// Stores the limits' state in the Redis or Valkey servers at `url`, shared by all processes:
    /// `redis://[user:password@]host[:port][/database]`, `redis+sentinel://host,host/name`, `redis+cluster://host,host`,
    /// `redis+unix:///path/to/socket`, and `rediss` for encrypted connections. `valkey` may be written in place of `redis`. See
    /// [`RedisStore::new`](crate::RedisStore::new) for the details.
    pub fn redis(self, url: impl Into<String>) -> Self {
        Self { source: Source::Redis(url.into()), ..self }
    }

    /// Says where this process reaches the servers that a cluster or sentinels announce. The closure receives an announced host
    /// and port, and returns the host and port to connect to. It is not asked for the servers in the URL. A node that announces
    /// no host counts as announced with the host by which its cluster was reached. With TLS, the server's certificate must be
    /// valid for the returned host.
    ///
    /// Servers in containers or behind address translation often announce addresses that only their own network knows. If
    /// you can, correct them at the servers (`cluster-announce-ip`, `cluster-announce-port`, `replica-announce-ip`), so that
    /// every client is right. Only the servers at a [URL](Self::redis) are mapped, and not those of a [`store`](Self::store).
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ratelimit::RateLimiter;
    ///
    /// let limiter = RateLimiter::builder()
    ///     .redis("redis+cluster://127.0.0.1:7000")
    ///     .map_addresses(|_host, port| ("127.0.0.1".to_owned(), port)) // the ports of the containers are published here
    ///     .build()?;
    /// # Ok(()) }
    /// ```
    pub fn map_addresses(self, map: impl Fn(&str, u16) -> (String, u16) + Send + Sync + 'static) -> Self {
        Self { addresses: Some(Arc::new(map)), ..self }
    }

    /// Uses this [`Store`](crate::store::Store): a [`MemoryStore`](crate::MemoryStore) with settings, or your own implementation.
    /// If both this method and [`redis`](Self::redis) are called, the last call wins.
    pub fn store(self, store: impl Store) -> Self {
        Self { source: Source::Store(Box::new(store)), ..self }
    }

    /// Sets the first part of every key. The default is the value of the environment variable `RATELIMIT_PREFIX`, or `ratelimit`
    /// if it is not set. Set a prefix if several applications share a server. A prefix has 1 to 64 visible ASCII characters
    /// without braces.
    pub fn prefix(self, prefix: impl Into<String>) -> Self {
        Self { prefix: Some(prefix.into()), ..self }
    }

    /// Sets the version of the service, such as `env!("CARGO_PKG_VERSION")`. The command `ratelimit` shows which version of the
    /// service has which limits. A version has 1 to 64 visible ASCII characters.
    pub fn service_version(self, version: impl Into<String>) -> Self {
        Self { service_version: Some(version.into()), ..self }
    }

    /// Sets the secret of the keyed hashes that replace long and secret values in keys. All processes that share limits need the
    /// same secret. The default is the value of the environment variable `RATELIMIT_HASH_SECRET`. If the variable is not set
    /// either, the secret is derived from the prefix. The prefix is public, so anybody who can read the store can then test
    /// guesses of the hashed values.
    pub fn hash_secret(self, secret: impl Into<Vec<u8>>) -> Self {
        Self { secret: Some(secret.into()), ..self }
    }

    /// Sets the number of leading bits of an IPv6 address that identify a client, from 48 to 128. The default is 64,
    /// because a single customer usually has a whole /64 network.
    pub fn ipv6_prefix(self, bits: u8) -> Self {
        Self { ipv6_prefix: bits, ..self }
    }

    /// Sets how long a decision may take, at least 1 ms. The default is 100 ms. After the deadline, the failure policy applies.
    /// The store may have charged the call nevertheless. With [`OnError::Local`], the default, a process that stalls for the
    /// length of the deadline may admit calls by its own count.
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
    /// A remembered refusal also refuses calls with the same key and limit that need at least as many units. It ends when the
    /// refused call would pass, and after one second at the latest. Units that this process returns, and its resets and
    /// overrides, apply at once. Changes by other processes apply within that second. Until then, calls that the store would
    /// admit may be refused. Permits, limits with a [`wait`](crate::Limit::wait) and stacks of limits always ask the store. The
    /// deny cache uses at most about 12 MB, which it reaches if a hundred thousand keys are refused within one second.
    ///
    /// The deny cache uses tokio's clock. A test that advances the clock of its own store must also advance tokio's clock
    /// or disable the deny cache.
    pub fn deny_cache(self, deny_cache: bool) -> Self {
        Self { deny_cache, ..self }
    }

    /// Sets the hook that is called for refusals, for limits that are nearly used up, and for outages. [`Hook`] describes when
    /// its methods are called, and in which thread. If this method is called again, the last call wins.
    pub fn hook(self, hook: impl Hook) -> Self {
        Self { hook: Some(Arc::new(hook)), ..self }
    }

    /// Sets when a limit is nearly used up: if at least this share of its units is in use. [`Hook::near_limit`] and the metric
    /// `ratelimit.near_limit` use this share. The share is from 0.0 to 1.0; [`build`](Self::build) returns an error for
    /// other numbers. The default is 0.8. At 0.0, no limit is ever nearly used up.
    pub fn near_limit(self, share: f64) -> Self {
        Self { near_limit: share, ..self }
    }

    /// Checks the settings and returns the limiter. This method does not connect to a server; the first call does. So a service
    /// can start while Redis is unavailable. To find a wrong password at the start, use [`connect`](Self::connect) instead.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if a setting is out of range, the URL is malformed, or
    /// `RATELIMIT_PREFIX` or `RATELIMIT_HASH_SECRET` is empty or ends with a line break or a space.
    pub fn build(self) -> Result<RateLimiter, Error> {
        self.report_off();
        self.assemble().map(|(limiter, _)| limiter)
    }

    /// Builds the limiter, and asks the servers at the [URL](Self::redis) for one decision under a separate key. If the limiter
    /// has another store, this method does the same as [`build`](Self::build).
    ///
    /// # Errors
    ///
    /// The errors of [`build`](Self::build), and errors of the servers:
    /// [`ErrorKind::Configuration`](crate::ErrorKind::Configuration) if a server is not of the kind that the URL says, or refuses
    /// the password or the script; [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if a server does not reply within 5
    /// seconds. In a cluster, one node that decides is sufficient, so a service can start while another node is down.
    pub async fn connect(self) -> Result<RateLimiter, Error> {
        self.report_off();
        let (limiter, redis) = self.assemble()?;
        if let Some(redis) = redis {
            redis.verify(limiter.keys().prefix()).await?;
            let _ = limiter.learn_overrides().await;
        }
        Ok(limiter)
    }
}

opaque! {
    /// Omits the URL, which may contain a password, and the secret.
    RateLimiterBuilder, |this| prefix = this.prefix, deadline = this.deadline, on_error = this.on_error
}
