//! What stands for a key: its hash, by a key of the store's own.

use super::table::Hash;
use crate::key::StoreKey;
use siphasher::sip128::SipHasher13;
use std::hash::{BuildHasher, RandomState};

/// A hash key that nobody can guess, which keeps collisions to chance.
pub(super) struct HashKey(SipHasher13);

impl HashKey {
    /// Another one each time.
    pub(super) fn random() -> Self {
        // The only source of randomness in std.
        let random = RandomState::new();
        Self(SipHasher13::new_with_keys(random.hash_one(0), random.hash_one(1)))
    }

    pub(super) fn hash(&self, key: &StoreKey) -> Hash {
        let hash = self.0.hash(key.as_bytes());
        [hash.h1, hash.h2]
    }
}
