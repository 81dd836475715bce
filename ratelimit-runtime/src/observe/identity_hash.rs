//! `IdentityHash`: stands for an identity where the identity itself must not be written.

use crate::error::Error;
use crate::key::{self, AsKey, KeySettings, StoreKey};
use crate::limiter::RateLimiter;
use crate::store::Request;
use siphasher::sip128::{Hasher128, SipHasher24};
use std::fmt;
use std::hash::Hasher;

/// A keyed 128-bit hash of an identity: SipHash-2-4 with the limiter's
/// [`hash_secret`](crate::RateLimiterBuilder::hash_secret).
///
/// The same identity has the same hash in all limits, in hooks, in log lines and in the command `ratelimit`, and in all
/// processes with the same secret. If the store itself has only a hash of the identity, as of a header, this is the same hash.
/// Without a secret of your own, the key of the hash is derived from the prefix, which is public: anybody who has the hash can
/// then test guesses of the identity. [`Display`](fmt::Display) writes `#` and 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IdentityHash([u8; 16]);

impl IdentityHash {
    /// The bytes of the hash.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The hash of the identity in a key. `None` if all callers share the limit.
    pub(crate) fn of(settings: &KeySettings, key: &StoreKey) -> Option<Self> {
        let identity = identity(key.as_bytes())?;
        Some(Self::written(identity).unwrap_or_else(|| {
            let mut hasher = SipHasher24::new_with_key(&settings.identity_secret);
            hasher.write(identity);
            Self(hasher.finish128().as_bytes())
        }))
    }

    /// The hash of the identity of all requests. `None` if they do not have the same one.
    pub(crate) fn of_all(settings: &KeySettings, requests: &[&Request]) -> Option<Self> {
        let mut callers = requests.iter().map(|request| Self::of(settings, request.key()));
        let first = callers.next()?;
        first.filter(|_| callers.all(|other| other == first))
    }

    /// The hash that a key has in place of a long or secret identity. No other value begins with `#`, which is escaped.
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

/// The tag of a key, `prefix:{tag}:name:format`. The tag of a key without an identity, `prefix:{name}:format`, is its name.
fn identity(key: &[u8]) -> Option<&[u8]> {
    let tag = &key[key.iter().position(|byte| *byte == b'{')? + 1..];
    let end = tag.iter().position(|byte| *byte == b'}')?;
    // After the tag and its colon.
    let rest = tag.get(end + 2..)?;
    rest.contains(&b':').then(|| &tag[..end])
}

impl RateLimiter {
    /// The hash of the identity of a key, as a [`Hook`](super::Hook) receives it; to look a caller up in a list of hashes that a
    /// hook has written. `None` if the key has no identity. The name and the parts of the key do not matter.
    ///
    /// ```
    /// use ratelimit::{Key, RateLimiter};
    ///
    /// let limiter = RateLimiter::in_memory();
    /// let hash = |key: Key<'_, _>| limiter.identity_hash(key).unwrap().unwrap();
    /// assert_eq!(hash(Key::new("login").by(7)), hash(Key::new("search").by(7)));
    /// assert_ne!(hash(Key::new("login").by(7)), hash(Key::new("login").by(8)));
    /// assert_eq!(limiter.identity_hash("login").unwrap(), None);
    /// ```
    ///
    /// # Errors
    ///
    /// If an identity of the key is absent.
    pub fn identity_hash(&self, key: impl AsKey) -> Result<Option<IdentityHash>, Error> {
        let mut rendered = key::render(&key, self.keys())?;
        rendered.add_format(&crate::Limit::any_of(crate::Algorithm::Counter));
        Ok(IdentityHash::of(self.keys(), &rendered))
    }
}
