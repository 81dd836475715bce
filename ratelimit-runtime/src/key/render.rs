//! From what a key is made of to its bytes.

use super::write::{self, KeyWriter};
use super::{AsKey, Bytes, KeySettings, StoreKey};
use crate::error::{Error, ErrorKind};

/// The key of a limit with this form.
pub(crate) fn render(key: &impl AsKey, settings: &KeySettings, form: &str) -> Result<RenderedKey, Error> {
    let mut builder = KeyBuilder::new(settings, key.name());
    key.identities().each(&mut |identity| identity.write(&mut builder.identity(settings)));
    key.parts().each(&mut |part| part.write(&mut builder.part(settings)));
    builder.finish(form)
}

/// Renders a key from left to right: prefix, identities, name, parts, form.
pub(crate) struct KeyBuilder<'n> {
    bytes: Bytes,
    name: &'n str,
    named: bool,
    has_identity: bool,
    absent: Option<&'static str>,
}

impl<'n> KeyBuilder<'n> {
    pub(crate) fn new(settings: &KeySettings, name: &'n str) -> Self {
        let mut bytes = Bytes::from_slice(settings.prefix.as_bytes());
        bytes.extend_from_slice(b":{");
        Self { bytes, name, named: false, has_identity: false, absent: None }
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

    /// There is nobody to count for, and this is why.
    pub(crate) fn set_absent(&mut self, why: &'static str) {
        self.absent = Some(why);
    }

    pub(crate) fn finish(mut self, form: &str) -> Result<RenderedKey, Error> {
        self.write_name();
        if !self.has_identity {
            self.bytes.push(b'}');
        }
        if let Some(why) = self.absent {
            return Err(Error::new(ErrorKind::NoIdentity, why));
        }
        self.bytes.push(b':');
        self.bytes.extend_from_slice(form.as_bytes());
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

/// A key with all its parts.
#[derive(Clone)]
pub(crate) struct RenderedKey(Bytes);

impl RenderedKey {
    pub(crate) fn as_store_key(&self) -> StoreKey<'_> {
        StoreKey::new(&self.0)
    }
}
