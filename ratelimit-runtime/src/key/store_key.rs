//! `StoreKey`: the key that a store receives.

use super::stored;
use crate::limit::Algorithm;
use crate::macros::opaque;
use crate::writer::{Bytes, Fold, PREFIX_END, secrets};
use std::hash::{Hash, Hasher};

/// The key that a store receives. Its bytes are unique to the limiter's prefix, to the limit's name, parts, algorithm and state
/// format, and to the identity. A key of at most 128 bytes needs no heap allocation.
#[derive(Clone)]
#[must_use]
pub struct StoreKey {
    pub(super) bytes: Bytes,
    pub(super) hash: u64,
}

impl StoreKey {
    /// Creates a key of these bytes, for tests of a store. Limiters make their keys from a [`Key`](crate::Key).
    pub fn new(bytes: &[u8]) -> Self {
        Self { bytes: Bytes::of(bytes), hash: hash_of(bytes) }
    }

    /// The bytes of the key.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A keyed hash, for tables of this process. It is the same for all keys with the same bytes.
    #[inline]
    pub(crate) const fn hash(&self) -> u64 {
        self.hash
    }

    pub(crate) fn without_format(&self) -> &[u8] {
        self.bytes.rsplitn(2, |byte| *byte == b':').last().unwrap_or_default()
    }
}

/// Hashes the bytes of a complete key by its pieces, as the limiter does that makes such a key.
#[cold]
fn hash_of(key: &[u8]) -> u64 {
    match Pieces::of(key) {
        Some(Pieces { prefix, name, values: [identities, parts], algorithm }) => {
            let sum = secrets().of_prefix(prefix).wrapping_add(secrets().of_name(name.as_bytes()));
            let mut fold = Fold::new(secrets(), sum);
            fold.written(identities);
            fold.written(parts);
            fold.hash(algorithm)
        }
        None => secrets().of_foreign(key),
    }
}

/// The pieces of a key `prefix:{identities}:name=part:format`, or `prefix:{name=part}:format`.
struct Pieces<'k> {
    prefix: &'k str,
    name: String,
    values: [&'k [u8]; 2],
    algorithm: Algorithm,
}

impl<'k> Pieces<'k> {
    fn of(key: &'k [u8]) -> Option<Self> {
        let key = std::str::from_utf8(key).ok()?;
        let (prefix, rest) = key.split_once(PREFIX_END)?;
        let (tag, rest) = rest.split_once("}:")?;
        let (identities, named, format) = match rest.rsplit_once(':') {
            Some((named, format)) => (tag, named, format),
            None => ("", tag, rest),
        };
        let (name, parts) = named.split_at(named.find('=').unwrap_or(named.len()));
        let values = [identities, parts].map(str::as_bytes);
        let name = stored::name(name)?;
        let algorithm = Algorithm::ALL.into_iter().find(|algorithm| algorithm.state_format() == format)?;
        Some(Self { prefix, name, values, algorithm })
    }
}

/// Finds the name in a key without a format.
pub(crate) fn name_in(key: &[u8]) -> Option<String> {
    let (_, rest) = std::str::from_utf8(key).ok()?.split_once(PREFIX_END)?;
    let named = match rest.split_once("}:") {
        Some((_, named)) => named,
        None => rest.strip_suffix('}')?,
    };
    stored::name(named.split('=').next()?)
}

impl Default for StoreKey {
    #[inline]
    fn default() -> Self {
        Self { bytes: Bytes::new(), hash: 0 }
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
    StoreKey, |this| length = this.bytes.len()
}
