//! Overrides that are stored in the memory of this process.

use crate::key::StoreKey;
use crate::store::{Overridden, OverrideEntry};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::Duration;

/// The overrides of each limiter. The map's keys are the keys under which limiters store their overrides. An [`Overridden`]
/// usually contains the remaining time of an override; here, it contains the time of its end by the store's clock.
#[derive(Default)]
pub(super) struct Overrides(Mutex<HashMap<Vec<u8>, Overridden>>);

impl Overrides {
    pub(super) fn load(&self, key: &StoreKey, seen: u64, now: Duration) -> Option<Overridden> {
        let mut loaded = self.0.lock().get(key.as_bytes()).cloned().unwrap_or_default();
        loaded.entries.retain(|(.., end)| end.is_none_or(|end| end > now));
        for end in loaded.entries.iter_mut().filter_map(|(.., end)| end.as_mut()) {
            *end -= now;
        }
        (loaded.version != seen).then_some(loaded)
    }

    pub(super) fn save(
        &self,
        key: &StoreKey,
        entry: &[u8],
        change: Option<&str>,
        end: Option<Duration>,
        now: Duration,
    ) {
        let mut stored = self.0.lock();
        stored.entry(key.as_bytes().to_vec()).or_default().change(entry, change, end, now);
    }

    /// Makes all changes, if the version is `seen`. Returns whether it was.
    pub(super) fn replace(
        &self,
        key: &StoreKey,
        seen: u64,
        changes: &[OverrideEntry],
        now: Duration,
    ) -> bool {
        let mut stored = self.0.lock();
        let overridden = stored.entry(key.as_bytes().to_vec()).or_default();
        let is_seen = overridden.version == seen;
        for (entry, change, expires) in changes.iter().filter(|_| is_seen) {
            overridden.change(entry, change.as_deref(), expires.map(|left| now.saturating_add(left)), now);
        }
        is_seen
    }
}

impl Overridden {
    fn change(&mut self, entry: &[u8], change: Option<&str>, end: Option<Duration>, now: Duration) {
        self.entries.retain(|(name, _, end)| name != entry && end.is_none_or(|end| end > now));
        self.entries.extend(change.map(|change| (entry.to_vec(), change.to_owned(), end)));
        self.version += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_override_ends_at_its_end_whatever_else_is_saved() {
        let (overrides, key, ms) = (Overrides::default(), StoreKey::new(b"k"), Duration::from_millis);
        overrides.save(&key, b"a", Some("2/s"), Some(ms(100)), ms(0));
        overrides.save(&key, b"b", Some("3/s"), None, ms(50));
        let names = |now| {
            let loaded = overrides.load(&key, 0, ms(now)).unwrap();
            loaded.entries.into_iter().map(|(name, ..)| name).collect::<Vec<_>>()
        };
        assert_eq!((names(99), names(100)), (vec![b"a".to_vec(), b"b".to_vec()], vec![b"b".to_vec()]));
    }
}
