//! Overrides that are stored in the memory of this process.

use crate::key::StoreKey;
use crate::store::Overridden;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The overrides of each limiter, by the key under which it stores them.
#[derive(Default)]
pub(super) struct Overrides(Mutex<HashMap<Vec<u8>, Overridden>>);

impl Overrides {
    pub(super) fn load(&self, key: &StoreKey, seen: u64) -> Option<Overridden> {
        let stored = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let overridden = stored.get(key.as_bytes()).cloned().unwrap_or_default();
        (overridden.version != seen).then_some(overridden)
    }

    pub(super) fn save(&self, key: &StoreKey, entry: &[u8], limit: Option<&str>) {
        let mut stored = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let overridden = stored.entry(key.as_bytes().to_vec()).or_default();
        overridden.entries.retain(|(name, _)| name != entry);
        overridden.entries.extend(limit.map(|limit| (entry.to_vec(), limit.to_owned())));
        overridden.version += 1;
    }
}
