//! From what a key is made of to its bytes.

use super::write::{KeyWriter, Name};
use super::{AsKey, Bytes, KeySettings, StoreKey};
use crate::error::{Error, ErrorKind};

/// The key of a limit with this form.
pub(crate) fn render(key: &impl AsKey, settings: &KeySettings, form: &str) -> Result<RenderedKey, Error> {
    let mut builder = KeyBuilder::new(settings, Name::new(key.name()));
    key.identities().each(&mut |identity| identity.write(&mut builder.identity(settings)));
    key.parts().each(&mut |part| part.write(&mut builder.part(settings)));
    builder.finish(form)?;
    Ok(builder.key)
}

/// Renders a key from left to right: prefix, identities, name, parts, form.
pub(crate) struct KeyBuilder<'n> {
    key: RenderedKey,
    name: Name<'n>,
    named: bool,
    has_identity: bool,
    absent: Option<&'static str>,
}

impl<'n> KeyBuilder<'n> {
    pub(crate) fn new(settings: &KeySettings, name: Name<'n>) -> Self {
        let mut bytes = Bytes::from_slice(settings.prefix.as_bytes());
        bytes.extend_from_slice(b":{");
        Self { key: RenderedKey(bytes), name, named: false, has_identity: false, absent: None }
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
    pub(crate) fn set_absent(&mut self, why: &'static str) {
        self.absent = Some(why);
    }

    /// The whole key, where it was built: it is too large to be moved about for each call.
    pub(crate) fn finish(&mut self, form: &str) -> Result<&RenderedKey, Error> {
        self.write_name();
        if !self.has_identity {
            self.key.0.push(b'}');
        }
        if let Some(why) = self.absent {
            return Err(Error::new(ErrorKind::NoIdentity, why));
        }
        self.key.0.push(b':');
        self.key.0.extend_from_slice(form.as_bytes());
        Ok(&self.key)
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

/// A key with all its parts.
#[derive(Clone)]
pub(crate) struct RenderedKey(Bytes);

impl RenderedKey {
    pub(crate) fn as_store_key(&self) -> StoreKey<'_> {
        StoreKey::new(&self.0)
    }
}
