//! Writes values into a key. Special bytes are escaped, and values that are long or secret are replaced by a hash.
//!
//! [`identity`](crate::identity) defines the values, and [`key`](crate::key) defines their places in a key.

mod bytes;
mod escape;
mod fold;
mod hash;
mod ip;
mod write;

pub(crate) use bytes::{Bytes, copy, push_hex_number, push_number};
pub(crate) use escape::{is_plain, is_written, push_escaped};
pub(crate) use fold::Fold;
pub(crate) use hash::{Secrets, open_hash, secrets, short_word};
pub use write::KeyWriter;
pub(crate) use write::{Absent, LATE, LateValues};

use siphasher::sip128::{Hasher128, SipHasher24};
use std::hash::Hasher;
use std::sync::atomic::{AtomicBool, Ordering};

/// What follows the prefix in a key. No prefix contains it.
pub(crate) const PREFIX_END: &str = ":{";

/// The settings of a limiter that its keys depend on.
pub(crate) struct KeySettings {
    /// The beginning of every key: the prefix, then [`PREFIX_END`].
    pub(crate) head: Box<str>,
    /// The secrets of the hashes of keys, and the summand of the prefix in these hashes.
    pub(crate) secrets: &'static Secrets,
    pub(crate) of_prefix: u128,
    /// The key of the hash that replaces long and secret values.
    pub(super) secret: [u8; 16],
    /// The key of the hash that replaces a readable identity outside of the store (`IdentityHash`). This key differs from
    /// `secret`. Otherwise a client could send the identity of somebody else as a secret value, and get the same hash.
    pub(crate) identity_secret: [u8; 16],
    /// A number by which processes notice that their secrets differ. It is 32 bits of a hash whose key is derived from the
    /// secret, so it says no more about the secret than any hash in a key does.
    pub(crate) fingerprint: u32,
    /// Whether a value was hashed with `secret`. Until then, the secret does not matter for any key.
    has_hashed: AtomicBool,
    /// Whether the hash keys are derived from the prefix, so that anybody can compute them.
    is_public: bool,
    /// Whether a secret value was hashed although `is_public`.
    has_exposed: AtomicBool,
    /// The number of leading bits that are written of an IPv6 address. Addresses with the same leading bits are one identity.
    pub(crate) ipv6_prefix: u8,
}

impl KeySettings {
    /// Derives the keys of the hashes from `secret`. Without a secret, they are derived from the prefix, which is public.
    pub(crate) fn new(prefix: &str, secret: Option<&[u8]>, ipv6_prefix: u8) -> Self {
        let is_public = secret.is_none();
        let secret = secret.unwrap_or(prefix.as_bytes());
        Self {
            head: [prefix, PREFIX_END].concat().into(),
            secrets: secrets(),
            of_prefix: secrets().of_prefix(prefix),
            secret: derive_key(secret, b"ratelimit secret"),
            identity_secret: derive_key(secret, b"ratelimit caller"),
            fingerprint: fingerprint(&derive_key(secret, b"ratelimit prints")),
            has_hashed: AtomicBool::new(false),
            is_public,
            has_exposed: AtomicBool::new(false),
            ipv6_prefix,
        }
    }

    /// Returns the same settings, which note by themselves whether a value was hashed.
    pub(crate) fn separate(&self) -> Self {
        let [has_hashed, has_exposed] = [const { AtomicBool::new(false) }; 2];
        Self { head: self.head.clone(), has_hashed, has_exposed, ..*self }
    }

    /// Whether a key of this limiter contains the hash of a long or secret value.
    pub(crate) fn has_hashed(&self) -> bool {
        self.has_hashed.load(Ordering::Relaxed)
    }

    /// Notes that a value was hashed. The flag is read first, because a write would slow down the other threads.
    fn note_hash(&self) {
        if !self.has_hashed() {
            self.has_hashed.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the hash of a caller that shares a limit with others. It is the same in all processes that have the same secret, and
    /// never 0.
    pub(crate) fn caller_hash(&self, values: &[u8]) -> u64 {
        self.note_hash();
        let mut hasher = SipHasher24::new_with_key(&self.secret);
        hasher.write(b"fair ");
        hasher.write(values);
        hasher.finish128().h1.max(1)
    }

    /// Whether a key of this limiter contains a hash of a secret value whose hash key anybody can compute.
    pub(crate) fn has_exposed(&self) -> bool {
        self.has_exposed.load(Ordering::Relaxed)
    }

    /// Notes that a secret value was hashed. The flag is read first, because a write would slow down the other threads.
    fn note_secret(&self) {
        if self.is_public && !self.has_exposed() {
            self.has_exposed.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn prefix(&self) -> &str {
        self.head.strip_suffix(PREFIX_END).unwrap_or_default()
    }
}

/// Derives a 128-bit key for one purpose from a secret of any length.
fn derive_key(secret: &[u8], purpose: &[u8; 16]) -> [u8; 16] {
    let mut hasher = SipHasher24::new_with_key(purpose);
    hasher.write(secret);
    hasher.finish128().as_bytes()
}

/// Returns the first 32 bits of the hash of an empty text.
fn fingerprint(key: &[u8; 16]) -> u32 {
    let [a, b, c, d, ..] = SipHasher24::new_with_key(key).finish128().as_bytes();
    u32::from_be_bytes([a, b, c, d])
}
