//! Keys: what is limited, together with who.
//!
//! A key in the store is `prefix:{tag}:name=part=part:form`:
//!
//! - the tag is the identity, several elements joined by `,`; a limit without identity has its name and parts
//!   there (`prefix:{name=part}:form`), so that global limits spread over the slots of a cluster;
//! - the name is the text of the template, with `<` `>` for its braces;
//! - the parts are the values of the template's holes;
//! - the form is the algorithm and the version of its state format.
//!
//! Identities and parts are escaped ([`write`]), so that different values never make the same key, and no value
//! reaches beyond its place.

mod write;

pub use write::KeyWriter;
pub(crate) use write::derive_key;

use crate::error::{Error, ErrorKind};
use crate::identity::Identity;
use smallvec::SmallVec;
use std::fmt;
use std::hash::Hasher;

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
        Key { name: self.name, identities: (self.identities, identity), parts: self.parts }
    }

    /// Adds a value to the name, as a hole in the attribute's `key` does.
    #[must_use]
    pub fn part<J: Identity>(self, part: J) -> Key<'n, I, (P, J)> {
        Key { name: self.name, identities: self.identities, parts: (self.parts, part) }
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

pub(crate) fn render(key: &impl AsKey, settings: &KeySettings) -> Result<RenderedKey, Error> {
    let mut builder = KeyBuilder::new(key.name());
    key.identities().each(&mut |identity| identity.write(&mut builder.identity(settings)));
    key.parts().each(&mut |part| part.write(&mut builder.part(settings)));
    builder.finish()
}

/// Renders a key from left to right: identities, then the name, then parts.
pub(crate) struct KeyBuilder<'n> {
    bytes: Bytes,
    name: &'n str,
    named: bool,
    has_identity: bool,
    absent: bool,
}

impl<'n> KeyBuilder<'n> {
    pub(crate) fn new(name: &'n str) -> Self {
        let mut bytes = Bytes::new();
        bytes.push(b'{');
        Self { bytes, name, named: false, has_identity: false, absent: false }
    }

    /// A writer for one more identity. Identities come before parts.
    pub(crate) fn identity<'w>(&'w mut self, settings: &'w KeySettings) -> KeyWriter<'w> {
        debug_assert!(!self.named, "identities come before parts");
        let separated = std::mem::replace(&mut self.has_identity, true);
        KeyWriter::new(&mut self.bytes, settings, &mut self.absent, separated.then_some(b','))
    }

    /// A writer for one more part of the name.
    pub(crate) fn part<'w>(&'w mut self, settings: &'w KeySettings) -> KeyWriter<'w> {
        self.write_name();
        KeyWriter::new(&mut self.bytes, settings, &mut self.absent, Some(b'='))
    }

    pub(crate) fn finish(mut self) -> Result<RenderedKey, Error> {
        self.write_name();
        if !self.has_identity {
            self.bytes.push(b'}');
        }
        if self.absent {
            return Err(Error::new(ErrorKind::NoIdentity, "the call carries no identity to count by"));
        }
        Ok(RenderedKey(self.bytes))
    }

    fn write_name(&mut self) {
        if std::mem::replace(&mut self.named, true) {
            return;
        }
        if self.has_identity {
            self.bytes.extend_from_slice(b"}:");
        }
        write::push_name(&mut self.bytes, self.name);
    }
}

/// A key without the limiter's prefix and the limit's form.
#[derive(Clone)]
pub(crate) struct RenderedKey(Bytes);

impl RenderedKey {
    pub(crate) fn with_prefix<'a>(&'a self, prefix: &'a str) -> StoreKey<'a> {
        StoreKey { prefix, body: &self.0, form: "" }
    }
}

/// A key as a store sees it. Its bytes are unique to a limiter's prefix, a limit's name and form, and the identity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StoreKey<'a> {
    prefix: &'a str,
    body: &'a [u8],
    form: &'static str,
}

impl<'a> StoreKey<'a> {
    /// A key that a test of a store makes up. Limiters render theirs from a [`Key`].
    #[must_use]
    pub const fn new(prefix: &'a str, body: &'a str) -> Self {
        Self { prefix, body: body.as_bytes(), form: "" }
    }

    pub(crate) const fn with_form(self, form: &'static str) -> Self {
        Self { form, ..self }
    }

    /// The length of the key in bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.prefix.len() + self.body.len() + self.form.len() + 2
    }

    /// Never: a key has at least its separators.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// Appends the bytes of the key.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        out.reserve(self.len());
        self.pieces().into_iter().for_each(|piece| out.extend_from_slice(piece));
    }

    /// Feeds the bytes of the key to a hasher, in one piece: hashers are slow at many small ones.
    pub fn hash_into(&self, hasher: &mut impl Hasher) {
        let mut short = [0; INLINE + 64];
        let mut end = 0;
        for piece in self.pieces() {
            let Some(room) = short.get_mut(end..end + piece.len()) else {
                let mut long = Vec::new();
                self.write_to(&mut long);
                return hasher.write(&long);
            };
            room.copy_from_slice(piece);
            end += piece.len();
        }
        hasher.write(&short[..end]);
    }

    fn pieces(&self) -> [&'a [u8]; 5] {
        [self.prefix.as_bytes(), b":", self.body, b":", self.form.as_bytes()]
    }
}

/// Keys hold addresses and user names: they are not printed.
impl fmt::Debug for StoreKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreKey")
            .field("prefix", &self.prefix)
            .field("form", &self.form)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
