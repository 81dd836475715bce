//! Keys: what is limited, together with who.
//!
//! A key in the store is `prefix:{tag}:name=part=part:form`:
//!
//! - the tag is the identity, several elements joined by `,`; a limit without identity has its name and parts
//!   there (`prefix:{name=part}:form`), so that global limits spread over the slots of a cluster;
//! - the name is the text of the template, with `<` `>` for its braces;
//! - the parts are the values of the template's holes;
//! - the form is the algorithm and the version of its state format, in a stack with the limit's time, and of a shadow
//!   limit with that word.
//!
//! Identities and parts are escaped ([`write`]), so that different values never make the same key, and no value
//! reaches beyond its place.

mod limit_name;
mod render;
mod store_key;
mod write;

pub(crate) use limit_name::LimitName;
pub(crate) use render::{KeyBuilder, RenderedKey, render};
pub use store_key::StoreKey;
pub use write::KeyWriter;
pub(crate) use write::{Name, derive_key};

use crate::identity::Identity;
use smallvec::SmallVec;
use std::fmt;

/// Keys below this length need no heap.
const INLINE: usize = 128;

pub(crate) type Bytes = SmallVec<[u8; INLINE]>;

/// What a limiter adds to the rendering of keys.
#[derive(Clone)]
pub(crate) struct KeySettings {
    /// The first part of every key.
    pub(crate) prefix: Box<str>,
    /// Keys the hash that stands for long and secret values.
    pub(crate) secret: [u8; 16],
    /// IPv6 addresses with the same first so many bits are one identity.
    pub(crate) ipv6_prefix: u8,
}

/// What is limited, together with who, for the methods of [`RateLimiter`](crate::RateLimiter).
///
/// ```
/// use ratelimit::Key;
/// use std::net::IpAddr;
///
/// let address: IpAddr = [203, 0, 113, 7].into();
/// let login = Key::new("login").by(address);
/// let report = Key::new("report").by(42).part("pdf"); // one limit per user and kind of report
/// # let _ = (login, report);
/// ```
///
/// The key of an attribute has the text of its template as name, and a part for each hole: `key = "report:{kind}"`
/// with `by = user` is `Key::new("report:{kind}").by(user).part(kind)`.
///
/// A plain string is a key without identity: one limit for everybody.
#[derive(Clone, Copy)]
pub struct Key<'n, I = (), P = ()> {
    name: &'n str,
    identities: I,
    parts: P,
}

impl<'n> Key<'n> {
    /// A key without identity: everybody shares the limit. `Key::new("login")` is the same key as
    /// `key = "login"` in the attribute.
    #[must_use]
    pub fn new(name: &'n str) -> Self {
        Self { name, identities: (), parts: () }
    }
}

impl<'n, I, P> Key<'n, I, P> {
    /// Counts for this identity alone; repeated, for the combination.
    #[must_use]
    pub fn by<J: Identity>(self, identity: J) -> Key<'n, (I, J), P> {
        let Self { name, identities, parts } = self;
        Key { name, identities: (identities, identity), parts }
    }

    /// Adds a value to the name, as a hole in the attribute's `key` does.
    #[must_use]
    pub fn part<J: Identity>(self, part: J) -> Key<'n, I, (P, J)> {
        let Self { name, identities, parts } = self;
        Key { name, identities, parts: (parts, part) }
    }
}

/// Who may be limited is nobody else's business.
impl<I, P> fmt::Debug for Key<'_, I, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What can be a key: a [`Key`], or a string, which is a key without identity.
pub trait AsKey {
    #[doc(hidden)]
    fn name(&self) -> &str;
    #[doc(hidden)]
    fn identities(&self) -> &dyn Elements {
        &()
    }
    #[doc(hidden)]
    fn parts(&self) -> &dyn Elements {
        &()
    }
}

impl AsKey for str {
    fn name(&self) -> &str {
        self
    }
}

impl AsKey for String {
    fn name(&self) -> &str {
        self
    }
}

impl<T: AsKey + ?Sized> AsKey for &T {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn identities(&self) -> &dyn Elements {
        (**self).identities()
    }

    fn parts(&self) -> &dyn Elements {
        (**self).parts()
    }
}

impl<I: Elements, P: Elements> AsKey for Key<'_, I, P> {
    fn name(&self) -> &str {
        self.name
    }

    fn identities(&self) -> &dyn Elements {
        &self.identities
    }

    fn parts(&self) -> &dyn Elements {
        &self.parts
    }
}

/// The elements that `by` and `part` have collected, as nested pairs.
#[doc(hidden)]
pub trait Elements {
    fn each(&self, visitor: &mut dyn FnMut(&dyn Identity));
}

impl Elements for () {
    fn each(&self, _: &mut dyn FnMut(&dyn Identity)) {}
}

impl<E: Elements, J: Identity> Elements for (E, J) {
    fn each(&self, visitor: &mut dyn FnMut(&dyn Identity)) {
        self.0.each(visitor);
        visitor(&self.1);
    }
}

#[cfg(test)]
mod tests;
