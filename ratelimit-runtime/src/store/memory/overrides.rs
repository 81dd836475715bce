//! Overrides in the memory of this process.

use crate::key::StoreKey;
use crate::store::Overridden;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

#[derive(Default)]
pub(super) struct Overrides(Mutex<HashMap<Vec<u8>, Overridden>>);

impl Overrides {
    pub(super) fn load(&self, key: &StoreKey, seen: u64) -> Option<Overridden> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let overridden = kept.get(key.as_bytes()).cloned().unwrap_or_default();
        (overridden.version != seen).then_some(overridden)
    }

    pub(super) fn save(&self, key: &StoreKey, entry: &[u8], limit: Option<&str>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let overridden = kept.entry(key.as_bytes().to_vec()).or_default();
        overridden.entries.retain(|(name, _)| name != entry);
        overridden.entries.extend(limit.map(|limit| (entry.to_vec(), limit.to_owned())));
        overridden.version += 1;
    }
}
