//! Keys as stores see them.

use super::derive_key;
use siphasher::sip::SipHasher13;
use std::fmt;
use std::hash::Hasher as _;

/// A key as a store sees it: bytes that are unique to a limiter's prefix, a limit's name, algorithm and state format,
/// and the identity.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StoreKey<'a>(&'a [u8]);

impl<'a> StoreKey<'a> {
    /// A key of these bytes, as a test of a store makes it up. Limiters render theirs from a [`Key`](crate::Key).
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// What stands for the key in messages: SipHash-1-3 with the first part of the key, the limiter's prefix, as its
    /// key. It is no secret, but more than the key is not printed.
    pub(crate) fn hash(&self) -> u64 {
        let prefix = self.0.split(|byte| *byte == b':').next().unwrap_or_default();
        let mut hasher = SipHasher13::new_with_key(&derive_key(prefix));
        hasher.write(self.0);
        hasher.finish()
    }

    /// The bytes of the key.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.0
    }
}

/// Keys hold addresses and user names: they are not printed.
impl fmt::Debug for StoreKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreKey").field("length", &self.0.len()).finish_non_exhaustive()
    }
}
