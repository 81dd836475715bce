//! The key that a store receives.

use crate::debug::opaque;
use crate::writer::Bytes;
use std::hash::{Hash, Hasher};

/// The key that a store receives: bytes that are unique to a limiter's prefix, a limit's name, algorithm and state format, and
/// the identity. A key of at most 128 bytes needs no heap.
#[derive(Clone)]
#[must_use]
pub struct StoreKey(pub(super) Bytes);

impl StoreKey {
    /// A key of these bytes, for tests of a store. Limiters make their keys from a [`Key`](crate::Key).
    #[inline]
    pub fn new(bytes: &[u8]) -> Self {
        Self(Bytes::of(bytes))
    }

    /// The bytes of the key.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// An empty key, which is written in place.
impl Default for StoreKey {
    #[inline]
    fn default() -> Self {
        Self(Bytes::new())
    }
}

impl PartialEq for StoreKey {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for StoreKey {}

impl Hash for StoreKey {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.as_bytes().hash(hasher);
    }
}

opaque! {
    /// Prints only the length, because keys hold addresses and user names.
    StoreKey, |this| length = this.0.len()
}
