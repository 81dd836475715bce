//! `Snapshot`: the overrides that this process knows, and the task that asks the store for changes.

use super::entry::{Entry, changed, field_of_key, field_of_name};
use super::groups::{Groups, group_of};
use super::published::Publisher;
use crate::clock::LONGEST_TIME;
use crate::error::Error;
use crate::key::{NameGroup, StoreKey};
use crate::limit::{Limit, LimitChange};
use crate::limiter::single_task::{InCharge, SingleTask};
use crate::limiter::{RateLimiter, Shared};
use crate::observe::Throttle;
use crate::store::{Overridden, Reply};
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// The pause between two requests for changes.
const POLL: Duration = Duration::from_millis(500);

/// The minimum time between two log lines about overrides that cannot be read.
const BETWEEN_ERRORS: Duration = Duration::from_secs(60);

/// The overrides, by their field in the store.
type Entries = HashMap<Vec<u8>, Arc<Entry>>;

/// The overrides of a prefix that this process knows.
#[derive(Default)]
pub(crate) struct Snapshot {
    entries: RwLock<Arc<Entries>>,
    version: AtomicU64,
    /// A bit for each group of names: whether a name of the group, or a key of such a name, may have an override. All bits are
    /// set until the store was asked. A call of a limit without an override reads no other field of this struct.
    groups: Groups,
    /// Whether the store was asked for overrides at least once, even if it did not reply.
    asked: AtomicBool,
    /// Whether the store replies at once. Then only this process can change overrides.
    in_process: AtomicBool,
    /// The task that asks the store for changes.
    watch: SingleTask,
    /// The lines about overrides that cannot be read.
    unread: Throttle,
}

impl Snapshot {
    /// Returns the limit with the override of the key or of the name applied. `None` if there is no override. The key has no
    /// format.
    #[inline]
    pub(crate) fn apply(&self, name: &str, group: NameGroup, key: &StoreKey, limit: &Limit) -> Option<Limit> {
        if self.is_free(group) { None } else { self.find(name, key, limit) }
    }

    /// Whether the overrides are known, and none of them concerns a name of this group.
    #[inline]
    pub(crate) fn is_free(&self, group: NameGroup) -> bool {
        !self.groups.contains(group)
    }

    fn find(&self, name: &str, key: &StoreKey, limit: &Limit) -> Option<Limit> {
        let entries = self.entries();
        let of = |field: Vec<u8>| entries.get(&field).filter(|entry| entry.applies());
        let found = of(field_of_key(key)).or_else(|| of(field_of_name(name)));
        found.map(|entry| entry.apply(name, limit))
    }

    /// Returns the override in a field. `None` if there is no override, if it cannot be read, or if it has expired.
    pub(super) fn entry(&self, field: &[u8]) -> Option<Arc<Entry>> {
        self.entries().get(field).filter(|entry| entry.applies()).cloned()
    }

    /// Returns the override of a name, and the limit in the code with the override applied. `None` if there is no override, or if
    /// no part of it fits.
    pub(crate) fn of_name(&self, name: &str, limit: &Limit) -> Option<(LimitChange, Limit)> {
        let change = self.entry(&field_of_name(name))?.change;
        match changed(&change, limit) {
            Ok(changed) => Some((change, changed)),
            Err(_) => Some((change, change.apply_what_fits(limit))).filter(|(_, fitting)| fitting != limit),
        }
    }

    /// Whether a call need not ask for overrides: the store was asked before, and later changes are noticed.
    #[inline]
    pub(crate) fn is_settled(&self) -> bool {
        self.asked.load(Ordering::Acquire)
            && (self.in_process.load(Ordering::Relaxed) || self.watch.is_started())
    }

    pub(super) fn replace(&self, overridden: Overridden) {
        let known = self.entries();
        // If overrides are known, version 0 means that the store has lost its data. The version stays above 0 when overrides are
        // removed.
        if overridden.version == 0 && !known.is_empty() {
            tracing::warn!(
                overrides = known.len(),
                "the store has lost its overrides, so the limits in the code apply again: set them again, and let the server save its data (`ratelimit doctor` says how)"
            );
        }
        let mut entries = Entries::new();
        for (field, text, left) in overridden.entries {
            let expires = left.map(|left| Instant::now() + left.min(LONGEST_TIME));
            // An unchanged override keeps its effect, so that its warning is logged once. An override that expires always counts
            // as changed.
            let same = |entry: &&Arc<Entry>| entry.text == text && entry.expires.or(expires).is_none();
            let entry = known.get(&field).filter(same);
            let entry = entry.cloned().unwrap_or_else(|| read(&field, text, expires));
            entries.insert(field, entry);
        }
        let groups = entries.keys().map(|field| group_of(field));
        let groups = Groups::bits(groups);
        *self.entries.write() = Arc::new(entries);
        self.version.store(overridden.version, Ordering::Release);
        self.groups.set(groups);
    }

    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    pub(super) fn entries(&self) -> Arc<Entries> {
        Arc::clone(&self.entries.read())
    }

    pub(in crate::limiter) fn learn(&self, loaded: Result<Option<Overridden>, Error>) {
        match loaded {
            Ok(Some(overridden)) => self.replace(overridden),
            Ok(None) => self.ensure_groups(),
            Err(error) if error.is_transient() => self.ensure_groups(),
            // The task asks twice a second.
            Err(error) if self.unread.due(BETWEEN_ERRORS).is_none() => drop(error),
            Err(error) => {
                self.ensure_groups();
                tracing::error!(%error, "cannot read the overrides");
            }
        }
        self.asked.store(true, Ordering::Release);
    }

    /// Notes that there are no overrides, if none were ever read.
    fn ensure_groups(&self) {
        if !self.asked.load(Ordering::Acquire) && self.entries.read().is_empty() {
            self.groups.set(Groups::NONE);
        }
    }
}

/// Reads a new or changed override. Logs an error if it cannot be read.
fn read(field: &[u8], text: String, expires: Option<Instant>) -> Arc<Entry> {
    let entry = Entry::read(field, text, expires);
    if let Some(reason) = entry.unreadable {
        tracing::error!(
            error = reason,
            "ignoring an override: expected a change such as `count=5`, or a limit such as `counter count=5 time=1m`"
        );
    }
    Arc::new(entry)
}

impl RateLimiter {
    pub(in crate::limiter) fn load_overrides(&self) -> Reply<Option<Overridden>> {
        let seen = self.shared.overrides.version();
        self.shared.store.bare().load_overrides(&self.overrides_key(), seen)
    }

    pub(super) fn overrides_key(&self) -> StoreKey {
        self.own_key("overrides")
    }

    /// Whether the overrides are known. If they are not watched yet, loads them or starts the task that watches them.
    #[inline]
    pub(crate) fn knows_overrides(&self) -> bool {
        self.shared.overrides.is_settled() || self.watch_overrides()
    }

    /// Whether the overrides are loaded and none of them concerns a name of this group.
    #[inline]
    pub(crate) fn has_no_overrides(&self, group: NameGroup) -> bool {
        self.shared.overrides.is_settled() && self.shared.overrides.is_free(group)
    }

    /// Loads the overrides if the store replies at once, and otherwise starts the task that asks for them. Returns whether the
    /// store was asked at least once.
    #[cold]
    fn watch_overrides(&self) -> bool {
        let snapshot = &self.shared.overrides;
        match self.load_overrides() {
            Reply::Ready(loaded) => {
                snapshot.learn(loaded);
                snapshot.in_process.store(true, Ordering::Relaxed);
                true
            }
            Reply::Pending(_) => {
                snapshot.watch.start(&self.shared, |shared| &shared.overrides.watch, POLL, watch);
                snapshot.asked.load(Ordering::Acquire)
            }
        }
    }

    /// If the task is late in another runtime, starts it in the current runtime.
    pub(crate) fn take_over_watch(&self, now: Instant) {
        let snapshot = &self.shared.overrides;
        if !snapshot.in_process.load(Ordering::Relaxed) && snapshot.watch.is_late(now) {
            self.watch_overrides();
        }
    }

    /// If the store was never asked for overrides, asks it and waits for the reply, at most for the deadline of the call.
    /// Returns the time at which the call began, so that the call is decided within the rest of its deadline. Returns `None` if
    /// the call has not waited.
    #[must_use = "the call has one deadline"]
    pub(crate) async fn learn_overrides(&self) -> Option<Instant> {
        if self.knows_overrides() {
            return None;
        }
        let began = Some(Instant::now());
        // The future is boxed, so that the futures of calls stay small.
        let loaded = Box::pin(self.shared.store.within_rest(began, self.load_overrides())).await;
        // The reply was in time although the deadline has passed, so the runtime was late. Then the store has a whole deadline.
        let has_stalled = loaded.is_ok() && self.shared.store.ensure_time(began).is_err();
        self.shared.overrides.learn(loaded);
        began.filter(|_| !has_stalled)
    }
}

async fn watch(task: InCharge<Shared>) {
    let (mut publisher, mut may_be_connecting) = (Publisher::new(), true);
    while let Some(limiter) = task.owner().map(RateLimiter::of) {
        let is_connected = limiter.shared.store.bare().is_connected();
        // Without a connection, the task sends no heartbeat, so that a runtime that has a connection takes over.
        if is_connected {
            task.beat(&limiter.shared, POLL.saturating_add(limiter.shared.store.within()));
        }
        // The request for overrides also opens a broken connection again. Otherwise, the next call of an idle process would use
        // outdated overrides.
        if is_connected || !std::mem::take(&mut may_be_connecting) {
            let loaded = limiter.shared.store.within_deadline(limiter.load_overrides()).await;
            limiter.shared.overrides.learn(loaded);
            if is_connected && publisher.is_due(&limiter) {
                // A publication sends two requests to the store.
                task.beat(
                    &limiter.shared,
                    POLL.saturating_add(limiter.shared.store.within().saturating_mul(2)),
                );
                publisher.publish(&limiter).await;
            }
        }
        drop(limiter);
        tokio::time::sleep(POLL).await;
    }
}

#[cfg(test)]
mod tests;
