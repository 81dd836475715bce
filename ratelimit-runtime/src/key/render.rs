//! From what a key is made of to its bytes.

use super::write::{KeyWriter, Name};
use super::{AsKey, Bytes, KeySettings, Place, StoreKey};
use crate::error::{Error, ErrorKind};
use crate::limit::Limit;
use std::io::Write as _;

/// The key without a form.
pub(crate) fn render(key: &(impl AsKey + ?Sized), settings: &KeySettings) -> Result<StoreKey, Error> {
    let mut builder = KeyBuilder::new(settings, Name::new(key.name()));
    key.identities().each(&mut |identity| identity.write(&mut builder.identity(settings)));
    key.parts().each(&mut |part| part.write(&mut builder.part(settings)));
    builder.finish()
}

/// Why there is nobody to count for.
pub(super) type Absent = Option<(ErrorKind, &'static str)>;

/// Renders a key from left to right: prefix, identities, name, parts, form.
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

    /// There is nobody to count for, and this is why.
    pub(crate) fn set_absent(&mut self, kind: ErrorKind, why: &'static str) {
        self.absent = Some((kind, why));
    }

    /// The key without a form.
    ///
    /// # Errors
    ///
    /// If an identity is absent.
    pub(crate) fn finish(mut self) -> Result<StoreKey, Error> {
        self.write_name();
        if !self.has_identity {
            self.key.0.push(b'}');
        }
        match self.absent {
            Some((kind, why)) => Err(Error::new(kind, why)),
            None => Ok(self.key),
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
    /// Adds the form of the state. In a stack the limit's time is a part of it, so that two limits of one function
    /// never meet in one key.
    pub(crate) fn add_form(&mut self, limit: &Limit, place: Place, time_ms: u64) {
        self.0.push(b':');
        self.0.extend_from_slice(limit.form().as_bytes());
        if place.in_stack {
            // Writing to memory does not fail.
            let _ = write!(self.0, "@{time_ms}");
        }
        if place.shadow {
            self.0.extend_from_slice(b".shadow");
        }
    }
}
