//! Writes values into a key: escaped, limited in length, and hashed if they are long or secret.
//!
//! [`identity`](crate::identity) says which values, and [`key`](crate::key) where they are in a key.

mod bytes;
mod ip;
mod write;

pub(crate) use bytes::{Bytes, copy, push_hex_number, push_number};
pub use write::KeyWriter;
pub(crate) use write::{Absent, is_plain, is_written, push_escaped};

use siphasher::sip128::{Hasher128, SipHasher24};
use std::hash::Hasher;

/// The settings of a limiter that its keys depend on.
#[derive(Clone)]
pub(crate) struct KeySettings {
    /// The beginning of every key: the prefix, and `:{`.
    pub(crate) head: Box<str>,
    /// The key of the hash that replaces long and secret values.
    pub(super) secret: [u8; 16],
    /// The key of the hash that stands for a readable identity outside of the store. It differs from `secret`, so that no
    /// caller can choose a value with the hash of somebody else.
    pub(crate) identity_secret: [u8; 16],
    /// IPv6 addresses that have this many first bits in common are one identity.
    pub(crate) ipv6_prefix: u8,
}

impl KeySettings {
    /// Without a secret, the hashes depend on the prefix, which is public.
    pub(crate) fn new(prefix: &str, secret: Option<&[u8]>, ipv6_prefix: u8) -> Self {
        let secret = secret.unwrap_or(prefix.as_bytes());
        Self {
            head: format!("{prefix}:{{").into(),
            secret: derive_key(secret, b"ratelimit secret"),
            identity_secret: derive_key(secret, b"ratelimit caller"),
            ipv6_prefix,
        }
    }

    /// The first part of every key.
    pub(crate) fn prefix(&self) -> &str {
        self.head.strip_suffix(":{").unwrap_or_default()
    }
}

/// A 128-bit key from a secret of any length, for one purpose.
fn derive_key(secret: &[u8], purpose: &[u8; 16]) -> [u8; 16] {
    let mut hasher = SipHasher24::new_with_key(purpose);
    hasher.write(secret);
    hasher.finish128().as_bytes()
}
