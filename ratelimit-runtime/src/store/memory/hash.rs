//! Keyed hash of a store key. The table stores the hash instead of the key.

use super::table::Hash;
use crate::key::StoreKey;
use siphasher::sip128::SipHasher13;
use std::hash::{BuildHasher, RandomState};

/// A secret random hash key, so that nobody can choose keys that collide.
pub(super) struct HashKey(SipHasher13);

impl HashKey {
    /// A new random hash key.
    pub(super) fn random() -> Self {
        // std has no other source of randomness.
        let random = RandomState::new();
        Self(SipHasher13::new_with_keys(random.hash_one(0), random.hash_one(1)))
    }

    pub(super) fn hash(&self, key: &StoreKey) -> Hash {
        let hash = self.0.hash(key.as_bytes());
        [hash.h1, hash.h2]
    }
}
