//! Overrides that are stored in the memory of this process.

use crate::key::StoreKey;
use crate::store::Overridden;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The overrides of each limiter, by the key under which it stores them.
#[derive(Default)]
pub(super) struct Overrides(Mutex<HashMap<Vec<u8>, Stored>>);

#[derive(Default)]
struct Stored {
    version: u64,
    /// Each override has its change, and its end in ms of the store's clock.
    entries: Vec<(Vec<u8>, String, Option<u64>)>,
}

impl Overrides {
    pub(super) fn load(&self, key: &StoreKey, seen: u64, now_ms: u64) -> Option<Overridden> {
        let stored = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Stored { version, entries }) = stored.get(key.as_bytes()) else {
            return (seen != 0).then(Overridden::default);
        };
        let in_force = entries.iter().filter(|(.., end)| end.is_none_or(|end| end > now_ms));
        let left = |end: u64| Duration::from_millis(end.saturating_sub(now_ms));
        let entries =
            in_force.map(|(entry, change, end)| (entry.clone(), change.clone(), end.map(left))).collect();
        (*version != seen).then_some(Overridden { version: *version, entries })
    }

    pub(super) fn save(
        &self,
        key: &StoreKey,
        entry: &[u8],
        change: Option<&str>,
        end_ms: Option<u64>,
        now_ms: u64,
    ) {
        let mut stored = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let overridden = stored.entry(key.as_bytes().to_vec()).or_default();
        overridden.entries.retain(|(name, _, end)| name != entry && end.is_none_or(|end| end > now_ms));
        overridden.entries.extend(change.map(|change| (entry.to_vec(), change.to_owned(), end_ms)));
        overridden.version += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Overrides;
    use crate::key::StoreKey;

    #[test]
    fn an_override_ends_at_its_end_whatever_else_is_saved() {
        let (overrides, key) = (Overrides::default(), StoreKey::new(b"k"));
        overrides.save(&key, b"a", Some("2/s"), Some(100), 0);
        overrides.save(&key, b"b", Some("3/s"), None, 50);
        let names = |now| {
            let loaded = overrides.load(&key, 0, now).unwrap();
            loaded.entries.into_iter().map(|(name, ..)| name).collect::<Vec<_>>()
        };
        assert_eq!((names(99), names(100)), (vec![b"a".to_vec(), b"b".to_vec()], vec![b"b".to_vec()]));
    }
}
