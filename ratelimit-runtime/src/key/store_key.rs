//! `StoreKey`: the key that a store receives. `KeyBuilder` writes it.

use super::{AsKey, Function, Name};
use crate::error::{Error, ErrorKind};
use crate::limit::Limit;
use crate::macros::opaque;
use crate::writer::{Absent, Bytes, KeySettings, KeyWriter, LATE, LateValue};
use std::hash::{Hash, Hasher};

/// The key that a store receives. Its bytes are unique to the limiter's prefix, to the limit's name, parts, algorithm and state
/// format, and to the identity. A key of at most 128 bytes needs no heap allocation.
#[derive(Clone)]
#[must_use]
pub struct StoreKey(pub(super) Bytes);

impl StoreKey {
    /// Creates a key of these bytes, for tests of a store. Limiters make their keys from a [`Key`](crate::Key).
    #[inline]
    pub fn new(bytes: &[u8]) -> Self {
        Self(Bytes::of(bytes))
    }

    /// The bytes of the key.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Creates an empty key, to which a `KeyBuilder` then writes.
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

/// Makes a key without a format, which is the last part of a key.
pub(crate) fn render(key: &(impl AsKey + ?Sized), settings: &KeySettings) -> Result<StoreKey, Error> {
    let mut rendered = StoreKey::default();
    render_into(&mut rendered, Name::new(key.name()), key, settings)?;
    Ok(rendered)
}

/// Writes a key without a format directly into the empty key `rendered`, so that no key is moved. `name` is the name of `key`.
#[expect(
    clippy::inline_always,
    reason = "otherwise the name is moved just after it was written, and the processor waits"
)]
#[inline(always)]
pub(crate) fn render_into(
    rendered: &mut StoreKey,
    name: Name<'_>,
    key: &(impl AsKey + ?Sized),
    settings: &KeySettings,
) -> Result<(), Error> {
    let mut builder = KeyBuilder::new(name, None);
    key.each_identity(&mut |identity| identity.write(&mut builder.identity(rendered, settings)));
    key.each_part(&mut |part| part.write(&mut builder.part(rendered, settings)));
    builder.finish(rendered, settings)
}

/// Writes a key from left to right: prefix, identities, name, parts. It writes into the key of a request to the store, because
/// a key is too large to be moved.
#[derive(Clone)]
pub(crate) struct KeyBuilder<'n> {
    name: Name<'n>,
    /// The function that the limit is named after, if functions inside of other functions may have the same name.
    function: Option<Function>,
    begun: bool,
    named: bool,
    has_identity: bool,
    absent: Absent,
    /// The late values of a key whose limiter is not known yet. `None` for any other key.
    late: Option<Vec<LateValue>>,
}

impl<'n> KeyBuilder<'n> {
    pub(crate) fn new(name: Name<'n>, function: Option<Function>) -> Self {
        Self { name, function, begun: false, named: false, has_identity: false, absent: None, late: None }
    }

    /// Writes the key without a limiter, until [`settle`](Self::settle) is called.
    pub(crate) fn before_limiter(mut self) -> Self {
        self.late = Some(Vec::new());
        self
    }

    /// Rewrites a key that was begun without a limiter. `settings` are those of its limiter.
    pub(crate) fn settle(&mut self, key: &mut StoreKey, settings: &KeySettings) {
        let Some(late) = self.late.take() else { return };
        if !std::mem::replace(&mut self.begun, false) {
            return;
        }
        let written = std::mem::take(key);
        self.begin(key, settings);
        let mut pieces = written.as_bytes().split(|byte| *byte == LATE);
        key.0.extend_from_slice(pieces.next().unwrap_or_default());
        for (write, piece) in late.iter().zip(pieces) {
            write(&mut KeyWriter::new(&mut key.0, settings, &mut self.absent, None));
            key.0.extend_from_slice(piece);
        }
    }

    /// Writes the prefix at the first call. A key without a limiter has no prefix yet.
    #[inline]
    fn begin(&mut self, key: &mut StoreKey, settings: &KeySettings) {
        if !std::mem::replace(&mut self.begun, true) && self.late.is_none() {
            key.0.extend_from_slice(settings.head.as_bytes());
        }
    }

    /// The name of the limit.
    pub(crate) fn name(&self) -> Name<'n> {
        self.name
    }

    /// Replaces the name. Call it before the first part is written, because the name precedes the parts.
    pub(crate) fn rename(&mut self, name: Name<'n>) {
        debug_assert!(!self.named, "the name comes before parts");
        self.name = name;
    }

    /// Returns a writer for the next identity. All identities come before the first part.
    #[inline]
    pub(crate) fn identity<'w>(
        &'w mut self,
        key: &'w mut StoreKey,
        settings: &'w KeySettings,
    ) -> KeyWriter<'w> {
        debug_assert!(!self.named, "identities come before parts");
        self.begin(key, settings);
        let separated = std::mem::replace(&mut self.has_identity, true);
        let writer = KeyWriter::new(&mut key.0, settings, &mut self.absent, separated.then_some(b','));
        writer.with_late(self.late.as_mut())
    }

    /// Returns a writer for the next part of the name.
    pub(crate) fn part<'w>(&'w mut self, key: &'w mut StoreKey, settings: &'w KeySettings) -> KeyWriter<'w> {
        self.begin(key, settings);
        self.write_name(key);
        let writer = KeyWriter::new(&mut key.0, settings, &mut self.absent, Some(b'='));
        writer.with_late(self.late.as_mut())
    }

    /// Notes why the key has no identity.
    pub(crate) fn set_absent(&mut self, kind: ErrorKind, why: &'static str) {
        self.absent = Some((kind, why));
    }

    /// Writes everything except the last part of the key, which names the algorithm and its state format. After this call, only
    /// that part may be written.
    ///
    /// # Errors
    ///
    /// Returns an error if an identity or a part is absent.
    #[inline]
    pub(crate) fn finish(&mut self, key: &mut StoreKey, settings: &KeySettings) -> Result<(), Error> {
        self.begin(key, settings);
        self.write_name(key);
        if let Some(function) = self.function {
            self.push_around(function, key, settings);
        }
        if !self.has_identity {
            key.0.push(b'}');
        }
        self.absent.map_or(Ok(()), |(kind, why)| Err(Error::new(kind, why)))
    }

    /// Writes the path of the type or function that contains the function, if there is one.
    #[inline(never)]
    fn push_around(&mut self, function: Function, key: &mut StoreKey, settings: &KeySettings) {
        if let Some(around) = function.around(self.name.as_str()) {
            self.part(key, settings).text(around);
        }
    }

    #[inline]
    fn write_name(&mut self, key: &mut StoreKey) {
        if std::mem::replace(&mut self.named, true) {
            return;
        }
        if self.has_identity {
            key.0.extend_from_slice(b"}:");
        }
        self.name.push_to(&mut key.0);
    }
}

impl StoreKey {
    /// Completes the key with the format of the state.
    #[inline]
    pub(crate) fn add_format(&mut self, limit: &Limit) {
        self.0.push(b':');
        self.0.extend_from_slice(limit.state_format().as_bytes());
    }

    /// Returns the key without the format at its end.
    pub(crate) fn without_format(&self) -> &[u8] {
        self.0.rsplitn(2, |byte| *byte == b':').last().unwrap_or_default()
    }
}
