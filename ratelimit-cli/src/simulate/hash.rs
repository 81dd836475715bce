//! Keyed hashes of identities, so that reports about logs name nobody.

use siphasher::sip128::{Hasher128, SipHasher24};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// The environment variable with the secret. The library reads the same variable for its keys.
pub(crate) const VARIABLE: &str = "RATELIMIT_HASH_SECRET";

/// Names identities by a keyed hash.
pub(crate) struct IdentityHash {
    key: [u8; 16],
    is_random: bool,
}

impl IdentityHash {
    /// Uses a secret, so that an identity has the same hash in all reports. Without one the key is random, and hashes of two
    /// reports cannot be compared.
    pub(crate) fn new(secret: Option<&[u8]>) -> Self {
        let Some(secret) = secret.filter(|secret| !secret.is_empty()) else {
            let mut key = [0; 16];
            for half in key.chunks_exact_mut(8) {
                half.copy_from_slice(&RandomState::new().build_hasher().finish().to_le_bytes());
            }
            return Self { key, is_random: true };
        };
        let mut hasher = SipHasher24::new_with_key(b"simulated report");
        hasher.write(secret);
        Self { key: hasher.finish128().as_bytes(), is_random: false }
    }

    /// What a reader of the hashes has to know.
    pub(crate) fn note(&self) -> String {
        if self.is_random {
            format!(
                "Callers are shown as hashes with a random key. Set {VARIABLE} to get the same hashes each time, or add `--identities`."
            )
        } else {
            format!(
                "Callers are shown as hashes with the key of {VARIABLE}. `--identities` shows them as they are."
            )
        }
    }

    /// The highest 48 bits of the hash in hexadecimal digits.
    pub(crate) fn name(&self, identity: &[u8]) -> String {
        let mut hasher = SipHasher24::new_with_key(&self.key);
        hasher.write(identity);
        format!("{:012x}", hasher.finish128().as_u128() >> 80)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_gives_the_same_names_and_no_secret_gives_others() {
        let named = |secret: Option<&[u8]>| IdentityHash::new(secret).name(b"203.0.113.7");
        assert_eq!(named(Some(b"one")), named(Some(b"one")));
        assert_ne!(named(Some(b"one")), named(Some(b"two")));
        assert_ne!(named(None), named(None));
        assert!(IdentityHash::new(Some(b"")).is_random);
        assert_eq!(named(None).len(), 12);
    }
}
