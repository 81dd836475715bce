//! Hashes of identities, so that reports about logs contain no identity.

use ratelimit::{Key, RateLimiter};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::IpAddr;

/// Names identities by the hash that hooks, log lines and the other commands show.
pub(crate) struct IdentityHash(RateLimiter);

impl IdentityHash {
    /// Uses the secret of the environment, as the library does, so that an identity has the same hash everywhere. `None` if the
    /// library does not accept the secret.
    pub(crate) fn from_environment() -> Option<Self> {
        let secret = std::env::var_os("RATELIMIT_HASH_SECRET").map(std::ffi::OsString::into_encoded_bytes);
        Self::new(secret.unwrap_or_default())
    }

    /// Uses a secret. If it is empty, a random secret is used, so hashes of two reports cannot be compared. A public secret would
    /// let every reader of a report find out the addresses.
    fn new(mut secret: Vec<u8>) -> Option<Self> {
        if secret.is_empty() {
            let random = RandomState::new();
            secret = [random.hash_one(0), random.hash_one(1)].map(u64::to_le_bytes).concat();
        }
        RateLimiter::builder().hash_secret(secret).build().ok().map(Self)
    }

    /// Explains the hashes to their reader.
    pub(crate) const NOTE: &str = "Callers are shown as hashes with the key of RATELIMIT_HASH_SECRET, or with a random key if it is not set. `--identities` shows them as they are.";

    /// The hash of an identity.
    pub(crate) fn name(&self, identity: &[u8]) -> String {
        let text = String::from_utf8_lossy(identity);
        let address = text.strip_suffix("/64").unwrap_or(&text).parse::<IpAddr>();
        let hash = match address {
            Ok(address) => self.0.identity_hash(Key::new("any").by(address)),
            Err(_) => self.0.identity_hash(Key::new("any").by(&*text)),
        };
        hash.ok().flatten().map(|hash| hash.to_string()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_gives_the_hashes_of_the_library_and_no_secret_gives_others() {
        let named = |secret: &str| IdentityHash::new(secret.into()).unwrap().name(b"203.0.113.7");
        assert_eq!(named("one"), named("one"));
        assert_ne!(named("one"), named("two"));
        assert_ne!(named(""), named(""));
        let hash = IdentityHash::new(b"one".to_vec()).unwrap();
        let of = |identity: &str| hash.name(identity.as_bytes());
        let library = |address: &str| {
            let address: IpAddr = address.parse().unwrap();
            hash.0.identity_hash(Key::new("login").by(address)).unwrap().unwrap().to_string()
        };
        assert_eq!(of("203.0.113.7"), library("203.0.113.7"));
        assert_eq!(of("2001:db8:0:1::/64"), library("2001:db8:0:1:a:b:c:d"));
        let user = hash.0.identity_hash(Key::new("login").by("ann b")).unwrap().unwrap();
        assert_eq!(of("ann b"), user.to_string());
    }
}
