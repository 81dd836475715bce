//! `IdentityHash`: a hash that replaces an identity where the identity itself must not be written.

use crate::key::{KeySettings, StoreKey};
use siphasher::sip128::{Hasher128, SipHasher24};
use std::fmt;
use std::hash::Hasher;

/// A keyed 128-bit hash of an identity: SipHash-2-4 with the limiter's
/// [`hash_secret`](crate::RateLimiterBuilder::hash_secret).
///
/// The same identity has the same hash in all limits, in hooks, in log lines and in the command `ratelimit`, and in all
/// processes with the same secret. If the store contains only a hash of the identity, as for a header, this is the same hash.
///
/// If you set no secret, the key of the hash is derived from the prefix. The prefix is public, so anybody who has a hash can
/// then test guesses of its identity. [`Display`](fmt::Display) writes `#` and 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IdentityHash([u8; 16]);

impl IdentityHash {
    /// The bytes of the hash.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// `None` if all callers share the limit.
    pub(crate) fn of(settings: &KeySettings, key: &StoreKey) -> Option<Self> {
        Self::of_identities(settings, identity(key.as_bytes())?)
    }

    /// `identities` are encoded as in keys. Returns `None` if the slice is empty.
    pub(crate) fn of_identities(settings: &KeySettings, identities: &[u8]) -> Option<Self> {
        if identities.is_empty() {
            return None;
        }
        Some(Self::written(identities).unwrap_or_else(|| {
            let mut hasher = SipHasher24::new_with_key(&settings.identity_secret);
            hasher.write(identities);
            Self(hasher.finish128().as_bytes())
        }))
    }

    /// `None` if the keys do not have the same identity.
    pub(crate) fn of_all<'k>(
        settings: &KeySettings,
        keys: impl Iterator<Item = &'k StoreKey>,
    ) -> Option<Self> {
        let mut callers = keys.map(|key| Self::of(settings, key));
        let first = callers.next()?;
        first.filter(|_| callers.all(|other| other == first))
    }

    /// Reads the hash that a key contains instead of a long or secret identity. `None` for a readable identity, which never
    /// begins with `#`, because this character is escaped.
    fn written(identity: &[u8]) -> Option<Self> {
        let digits: &[u8; 32] = identity.strip_prefix(b"#")?.try_into().ok()?;
        let number = u128::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
        Some(Self(number.to_be_bytes()))
    }
}

impl fmt::Display for IdentityHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("#")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Finds the tag of a key `prefix:{tag}:name:format`, which contains the identity. `None` for a key without an identity, which is
/// `prefix:{name}:format`.
fn identity(key: &[u8]) -> Option<&[u8]> {
    let tag = &key[key.iter().position(|byte| *byte == b'{')? + 1..];
    let end = tag.iter().position(|byte| *byte == b'}')?;
    // The rest of the key follows the tag and a colon.
    let rest = tag.get(end + 2..)?;
    rest.contains(&b':').then(|| &tag[..end])
}
