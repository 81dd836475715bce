//! The name of a limit in a rejection, which outlives the key.

use smallvec::SmallVec;
use std::fmt;

/// The name of a limit, independent of the key that it comes from. A name of at most 24 bytes needs no heap.
#[derive(Clone)]
pub(crate) enum LimitName {
    /// The name in an attribute.
    Static(&'static str),
    /// UTF-8, from a key of the caller.
    Copied(SmallVec<[u8; INLINE]>),
}

/// The name then has the size of two strings, so a `Rejection` stays small.
const INLINE: usize = 24;

impl LimitName {
    pub(crate) fn copy(name: &str) -> Self {
        Self::Copied(SmallVec::from_slice(name.as_bytes()))
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Static(name) => name,
            Self::Copied(name) => std::str::from_utf8(name).unwrap_or_default(),
        }
    }
}

impl From<&'static str> for LimitName {
    fn from(name: &'static str) -> Self {
        Self::Static(name)
    }
}

impl fmt::Debug for LimitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
