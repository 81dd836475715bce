//! Writes the bytes of a key.

use super::write::{Absent, KeyWriter, Name};
use super::{AsKey, Bytes, KeySettings, StoreKey};
use crate::error::{Error, ErrorKind};
use crate::limit::Limit;

/// Writes a key without a format.
pub(crate) fn render(key: &(impl AsKey + ?Sized), settings: &KeySettings) -> Result<StoreKey, Error> {
    let mut builder = KeyBuilder::new(settings, Name::new(key.name()));
    key.identities().each(&mut |identity| identity.write(&mut builder.identity(settings)));
    key.parts().each(&mut |part| part.write(&mut builder.part(settings)));
    builder.finish()
}

/// Writes a key from left to right: prefix, identities, name, parts, format.
pub(crate) struct KeyBuilder<'n> {
    key: StoreKey,
    name: Name<'n>,
    named: bool,
    has_identity: bool,
    absent: Absent,
}

impl<'n> KeyBuilder<'n> {
    pub(crate) fn new(settings: &KeySettings, name: Name<'n>) -> Self {
        let mut bytes = Bytes::from_slice(settings.prefix.as_bytes());
        bytes.extend_from_slice(b":{");
        Self { key: StoreKey(bytes), name, named: false, has_identity: false, absent: Absent::default() }
    }

    /// The name of the limit.
    pub(crate) fn name(&self) -> Name<'n> {
        self.name
    }

    /// Replaces the name. It must not be written yet, so this comes before the parts.
    pub(crate) fn rename(&mut self, name: Name<'n>) {
        debug_assert!(!self.named, "the name comes before parts");
        self.name = name;
    }

    /// A writer for one more identity. Identities come before parts.
    pub(crate) fn identity<'w>(&'w mut self, settings: &'w KeySettings) -> KeyWriter<'w> {
        debug_assert!(!self.named, "identities come before parts");
        let separated = std::mem::replace(&mut self.has_identity, true);
        KeyWriter::new(&mut self.key.0, settings, &mut self.absent, separated.then_some(b','))
    }

    /// A writer for one more part of the name.
    pub(crate) fn part<'w>(&'w mut self, settings: &'w KeySettings) -> KeyWriter<'w> {
        self.write_name();
        KeyWriter::new(&mut self.key.0, settings, &mut self.absent, Some(b'='))
    }

    /// Notes why the key has no identity.
    pub(crate) fn set_absent(&mut self, kind: ErrorKind, why: &'static str) {
        self.absent = Some((kind, why));
    }

    /// Takes the key, which has no format yet. Nothing can be written after this.
    ///
    /// # Errors
    ///
    /// If an identity is absent.
    pub(crate) fn finish(&mut self) -> Result<StoreKey, Error> {
        self.write_name();
        if !self.has_identity {
            self.key.0.push(b'}');
        }
        match self.absent {
            Some((kind, why)) => Err(Error::new(kind, why)),
            None => Ok(StoreKey(std::mem::take(&mut self.key.0))),
        }
    }

    fn write_name(&mut self) {
        if std::mem::replace(&mut self.named, true) {
            return;
        }
        if self.has_identity {
            self.key.0.extend_from_slice(b"}:");
        }
        self.name.push_to(&mut self.key.0);
    }
}

impl StoreKey {
    /// Completes the key with the format of the state.
    pub(crate) fn add_format(&mut self, limit: &Limit) {
        self.0.push(b':');
        self.0.extend_from_slice(limit.state_format().as_bytes());
    }

    /// The key without the format at its end.
    pub(crate) fn without_format(&self) -> &[u8] {
        self.0.rsplitn(2, |byte| *byte == b':').last().unwrap_or_default()
    }
}
