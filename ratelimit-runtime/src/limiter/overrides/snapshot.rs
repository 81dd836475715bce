//! What this process knows of the overrides, and how it learns of changes.

use crate::error::Error;
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::limiter::RateLimiter;
use crate::limiter::single_task::{InCharge, SingleTask};
use crate::store::{Answer, Overridden, Reply};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::time::Instant;

/// How often a process asks for changes.
const POLL: Duration = Duration::from_millis(500);
/// What the entries of names and of keys begin with.
pub(super) const NAME: &[u8] = b"name:";
pub(super) const KEY: &[u8] = b"key:";

/// What this process knows of the overrides of its prefix.
#[derive(Default)]
pub(crate) struct Snapshot {
    limits: RwLock<Arc<HashMap<Vec<u8>, Limit>>>,
    version: AtomicU64,
    any: AtomicBool,
    /// They were asked for once.
    known: AtomicBool,
    /// No other process can change them.
    local: AtomicBool,
    /// Asks for changes.
    watch: SingleTask,
}

impl Snapshot {
    /// The limit that holds now for a name and a key without a form.
    pub(crate) fn apply(&self, name: &str, key: &StoreKey, limit: &Limit) -> Limit {
        if !self.any.load(Ordering::Relaxed) {
            return *limit;
        }
        let limits = self.limits();
        let found = limits.get(&entry_of_key(key)).or_else(|| limits.get(&entry_of_name(name)));
        match found {
            // The code around the call holds a permit, or it does not.
            Some(found) if found.is_concurrency() == limit.is_concurrency() => *found,
            _ => *limit,
        }
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.known.load(Ordering::Acquire) && (self.local.load(Ordering::Relaxed) || self.watch.is_started())
    }

    pub(super) fn replace(&self, overridden: Overridden) {
        let mut limits = HashMap::new();
        for (entry, text) in overridden.entries {
            match text.parse::<Limit>() {
                Ok(limit) => drop(limits.insert(entry, limit)),
                // Without the text: anything may be in the store.
                Err(error) => tracing::error!(
                    error = error.reason(),
                    "ignoring an override: expected a limit such as `counter count=5 time=1m`"
                ),
            }
        }
        let any = !limits.is_empty();
        *self.limits.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(limits);
        self.version.store(overridden.version, Ordering::Release);
        self.any.store(any, Ordering::Release);
    }

    /// All that is known.
    pub(super) fn limits(&self) -> Arc<HashMap<Vec<u8>, Limit>> {
        Arc::clone(&self.limits.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn learn(&self, answer: Result<Option<Overridden>, Error>) {
        match answer {
            Ok(Some(overridden)) => self.replace(overridden),
            Ok(None) => {}
            Err(error) if error.is_transient() => {}
            Err(error) => tracing::error!(%error, "overrides cannot be read"),
        }
        self.known.store(true, Ordering::Release);
    }
}

pub(super) fn entry_of_name(name: &str) -> Vec<u8> {
    [NAME, name.as_bytes()].concat()
}

pub(super) fn entry_of_key(key: &StoreKey) -> Vec<u8> {
    [KEY, key.as_bytes()].concat()
}

impl RateLimiter {
    pub(super) fn load_overrides(&self) -> Reply<Option<Overridden>> {
        let seen = self.shared.overrides.version.load(Ordering::Acquire);
        self.shared.store.load_overrides(&self.overrides_key(), seen)
    }

    /// `#` is the tag of no identity, and no limit's key ends here.
    pub(super) fn overrides_key(&self) -> StoreKey {
        StoreKey::new(format!("{}:{{#}}:overrides", self.keys().prefix).as_bytes())
    }

    /// Whether the overrides are known and watched; asks for them where that needs no waiting.
    pub(crate) fn knows_overrides(&self) -> bool {
        self.shared.overrides.is_settled() || self.watch_overrides()
    }

    #[cold]
    fn watch_overrides(&self) -> bool {
        let snapshot = &self.shared.overrides;
        match self.load_overrides().into_answer() {
            Answer::Ready(answer) => {
                snapshot.learn(answer.unwrap_or(Ok(None)));
                snapshot.local.store(true, Ordering::Relaxed);
                true
            }
            Answer::Pending(_) => {
                snapshot.watch.start(self, |shared| &shared.overrides.watch, POLL, watch);
                snapshot.known.load(Ordering::Acquire)
            }
        }
    }

    /// Asks for changes in the current runtime, if that of another one has not done so in time.
    pub(crate) fn take_over_watch(&self, now: Instant) {
        let snapshot = &self.shared.overrides;
        if !snapshot.local.load(Ordering::Relaxed) && snapshot.watch.is_late(now) {
            self.watch_overrides();
        }
    }

    /// Waits for the first answer to what the overrides are, as long as for a decision.
    pub(crate) async fn learn_overrides(&self) {
        if !self.knows_overrides() {
            let answer = self.within_deadline(self.load_overrides()).await;
            self.shared.overrides.learn(answer);
        }
    }
}

async fn watch(task: InCharge) {
    while let Some(limiter) = task.limiter() {
        // Without a connection there is no heartbeat, so that a runtime that has a connection takes over.
        if limiter.shared.store.is_connected() {
            task.beat(&limiter, POLL.saturating_add(limiter.shared.deadline));
            let answer = limiter.within_deadline(limiter.load_overrides()).await;
            limiter.shared.overrides.learn(answer);
        }
        drop(limiter);
        tokio::time::sleep(POLL).await;
    }
}
