//! Makes a limiter from its settings: checks their ranges, reads the environment, and chooses the store.

use super::{RateLimiterBuilder, Source};
use crate::error::{Error, ErrorKind};
use crate::key::KeySettings;
use crate::limiter::installed::{PREFIX, TRUSTED_PROXIES, URL, secret_of_environment, variable};
use crate::limiter::layers::{Deadline, Leases, Outage, Policy, Refusals};
use crate::limiter::off::OffStore;
use crate::limiter::overrides::Snapshot;
use crate::limiter::permits::Permits;
use crate::limiter::postponed::Postponed;
use crate::limiter::status::Probes;
use crate::limiter::{RateLimiter, Shared};
use crate::observe::{DEFAULT_SHARE, Hooks, Watch, share};
use crate::proxies::Proxies;
use crate::store::Store;
use crate::store::memory::MemoryStore;
use crate::store::redis::RedisStore;
use crate::tasks::Tasks;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The prefix of keys if neither the builder nor the environment sets one.
const DEFAULT_PREFIX: &str = "ratelimit";
/// The id of the next limiter.
static NEXT_ID: AtomicU64 = AtomicU64::new(0);

impl RateLimiterBuilder {
    /// Returns an error if a setting is out of range.
    fn check(&self) -> Result<(), Error> {
        let prefix = self.prefix.as_deref().unwrap_or(DEFAULT_PREFIX);
        let is_word =
            |text: &str| (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
        let message = if !is_word(prefix) || prefix.contains(['{', '}']) {
            format!("invalid prefix {prefix:?}; expected 1 to 64 visible ASCII characters without braces")
        } else if let Some(version) = self.service_version.as_ref().filter(|version| !is_word(version)) {
            format!("invalid service version {version:?}; expected 1 to 64 visible ASCII characters")
        } else if !(48..=128).contains(&self.ipv6_prefix) {
            format!("invalid IPv6 prefix of {} bits; expected 48 to 128", self.ipv6_prefix)
        } else if self.deadline < Duration::from_millis(1) {
            format!("invalid deadline {:?}; expected at least 1 ms", self.deadline)
        } else if share(self.near_limit).is_none() {
            format!("invalid share {} for `near_limit`; expected 0.0 to 1.0", self.near_limit)
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::Configuration, message))
    }

    /// Returns the limiter, and its Redis store if it has one. Does not connect.
    pub(in crate::limiter) fn assemble(mut self) -> Result<(RateLimiter, Option<RedisStore>), Error> {
        if self.prefix.is_none() {
            self.prefix = variable(PREFIX)?;
        }
        self.check()?;
        let mut this = self;
        if this.secret.is_none() {
            this.secret = secret_of_environment()?;
        }
        if this.proxies.is_empty() && std::env::var_os(TRUSTED_PROXIES).is_some() {
            tracing::warn!("a builder does not read {TRUSTED_PROXIES}; this limiter trusts no proxies");
        }
        let proxies = std::mem::take(&mut this.proxies).build()?;
        let (store, redis): (Box<dyn Store>, _) = match std::mem::replace(&mut this.source, Source::Memory) {
            Source::Redis(url) => {
                let redis = RedisStore::mapped(&url, this.addresses.as_ref())?; // a malformed URL is an error even while limits are off
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
    pub(in crate::limiter) fn in_memory(self) -> RateLimiter {
        self.around(Box::new(MemoryStore::new()), Proxies::default(), true)
    }

    /// Returns the limiter with these settings, this store and these proxies.
    fn around(self, store: Box<dyn Store>, proxies: Proxies, takes_leases: bool) -> RateLimiter {
        let secret = self.secret.or_else(|| secret_of_environment().ok().flatten());
        let prefix = self.prefix.as_deref().unwrap_or(DEFAULT_PREFIX);
        let keys = KeySettings::new(prefix, secret.as_deref(), self.ipv6_prefix);
        let tasks = Tasks::default();
        let hooks = Hooks::new(self.hook, &tasks);
        let decides_hashes = store.decides_hashes() && !self.off;
        let store = Arc::new(Deadline::new(store, self.deadline));
        let refusals = Arc::new(Refusals::new(Arc::clone(&store), self.deny_cache));
        let leases = Arc::new(Leases::new(Arc::clone(&refusals), tasks.clone(), takes_leases));
        let outage = Arc::new(Outage::new(hooks.clone()));
        let policy = Arc::new(Policy::new(Arc::clone(&leases), Arc::clone(&outage), keys.separate()));
        let postponed = Arc::new(Postponed::new(Arc::clone(&store), Arc::clone(&policy), tasks.clone()));
        RateLimiter {
            shared: Arc::new(Shared {
                id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
                keys,
                service_version: self.service_version.map(Into::into),
                proxies,
                off: self.off,
                decides_hashes,
                store,
                refusals,
                leases,
                policy,
                outage,
                overrides: Snapshot::default(),
                permits: Permits::default(),
                postponed,
                probes: Probes::default(),
                tasks,
                watch: Watch::of_limiter(self.off, hooks, share(self.near_limit).unwrap_or(DEFAULT_SHARE)),
            }),
            on_error: self.on_error,
        }
    }

    /// Returns a limiter for tests. Every call asks this store, and the store decides by its own clock.
    ///
    /// # Errors
    ///
    /// If a setting is out of range.
    pub(crate) fn around_for_tests(mut self, store: impl Store) -> Result<RateLimiter, Error> {
        self.check()?;
        let proxies = std::mem::take(&mut self.proxies).build()?;
        Ok(self.around_test_store(store, proxies))
    }

    /// Returns the limiter without a check of the settings, for tests whose settings are valid.
    pub(crate) fn around_test_store(self, store: impl Store, proxies: Proxies) -> RateLimiter {
        Self { deny_cache: false, off: false, ..self }.around(Box::new(store), proxies, false)
    }
}
