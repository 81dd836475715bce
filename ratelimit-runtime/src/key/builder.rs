//! `KeyBuilder`: collects the values of a key. A store that needs only a hash gets the hash of the values. For any other store, the
//! key is rendered.

use super::{AsKey, Function, Name, StoreKey};
use crate::error::{Error, ErrorKind};
use crate::identity::Identity;
use crate::limit::Limit;
use crate::writer::{Absent, Bytes, Fold, KeySettings, KeyWriter, LATE, LateValues};

/// The name of a key, and its values in the form in which keys contain them: the identities, then the parts.
#[derive(Clone)]
pub(crate) struct KeyBuilder<'n> {
    name: Name<'n>,
    /// The function that the limit is named after, if functions inside of other functions may have the same name.
    function: Option<Function>,
    /// The identities, separated by commas. Then each part, with `=` in front of it. No value contains these bytes. `None` if no
    /// value was written.
    values: Option<Bytes>,
    /// The place of the first part, plus 1. 0 if there is no part yet.
    parts: usize,
    absent: Absent,
    /// The late values of a key whose limiter is not known yet. `None` for any other key.
    late: Option<LateValues>,
    /// The hash of the values so far. If it is set, the values are not written.
    fold: Option<Fold>,
    /// The caller that shares the limit with others. It is boxed, because most keys have none.
    caller: Option<Box<Caller>>,
}

/// The values of a caller, in the form in which keys contain values, and those that are written when the limiter is known.
#[derive(Clone)]
struct Caller {
    values: Bytes,
    late: LateValues,
}

impl<'n> KeyBuilder<'n> {
    #[inline]
    pub(crate) const fn new(name: Name<'n>, function: Option<Function>) -> Self {
        Self { name, function, values: None, parts: 0, absent: None, late: None, fold: None, caller: None }
    }

    /// Collects the values of a key.
    #[inline]
    pub(crate) fn add(&mut self, key: &(impl AsKey + ?Sized), settings: &KeySettings) {
        key.write_identities(&mut ValueSink { to: Sink::Identities(self), settings });
        key.write_parts(&mut ValueSink { to: Sink::Parts(self), settings });
        key.write_caller(&mut ValueSink { to: Sink::Caller(self), settings });
    }

    /// Collects the values without a limiter, until [`settle`](Self::settle) is called.
    pub(crate) fn before_limiter(mut self) -> Self {
        self.late = Some(LateValues::default());
        self
    }

    /// Writes the late values of a key that was begun without a limiter. `settings` are those of its limiter.
    pub(crate) fn settle(&mut self, settings: &KeySettings) {
        let Some(late) = self.late.take() else { return };
        if let Some(caller) = &mut self.caller {
            caller.values = settled(&caller.values, &caller.late, settings, &mut self.absent);
        }
        let Some(begun) = self.values.take() else { return };
        let values = settled(&begun, &late, settings, &mut self.absent);
        self.parts = values.iter().position(|byte| *byte == b'=').map_or(0, |at| at + 1);
        self.values = Some(values);
    }

    /// Hashes the values from now on, and does not write them. `name` is the summand of the name.
    #[inline]
    pub(crate) fn fold(&mut self, name: u128, settings: &KeySettings) {
        self.fold = Some(Fold::new(settings.secrets, settings.of_prefix.wrapping_add(name)));
    }

    #[inline]
    pub(crate) const fn is_folding(&self) -> bool {
        self.fold.is_some()
    }

    /// Returns the hash of the complete key, if the values were not written.
    #[inline]
    pub(crate) fn folded(&self, limit: &Limit) -> Option<u64> {
        self.fold.as_ref().map(|fold| fold.hash(limit.algorithm()))
    }

    /// The name of the limit.
    pub(crate) fn name(&self) -> Name<'n> {
        self.name
    }

    /// Replaces the name.
    pub(crate) fn rename(&mut self, name: Name<'n>) {
        self.name = name;
    }

    /// Returns a writer for the next identity. All identities come before the first part.
    #[inline]
    pub(crate) fn identity<'w>(&'w mut self, settings: &'w KeySettings) -> KeyWriter<'w> {
        debug_assert!(self.parts == 0, "identities come before parts");
        if let Some(fold) = &mut self.fold {
            return KeyWriter::folding(fold, settings, &mut self.absent, false);
        }
        let values = self.values.get_or_insert_with(Bytes::new);
        let separator = (!values.is_empty()).then_some(b',');
        KeyWriter::new(values, settings, &mut self.absent, separator).with_late(self.late.as_mut())
    }

    #[inline]
    pub(crate) fn part<'w>(&'w mut self, settings: &'w KeySettings) -> KeyWriter<'w> {
        if let Some(fold) = &mut self.fold {
            return KeyWriter::folding(fold, settings, &mut self.absent, true);
        }
        let values = self.values.get_or_insert_with(Bytes::new);
        if self.parts == 0 {
            self.parts = values.len() + 1;
        }
        KeyWriter::new(values, settings, &mut self.absent, Some(b'=')).with_late(self.late.as_mut())
    }

    /// Returns a writer for the next value of the caller that shares the limit with others.
    pub(crate) fn caller<'w>(&'w mut self, settings: &'w KeySettings) -> KeyWriter<'w> {
        let none = || Box::new(Caller { values: Bytes::new(), late: LateValues::default() });
        let caller = self.caller.get_or_insert_with(none);
        let separator = (!caller.values.is_empty()).then_some(b',');
        let late = self.late.is_some().then_some(&mut caller.late);
        KeyWriter::new(&mut caller.values, settings, &mut self.absent, separator).with_late(late)
    }

    /// Whether the key has a caller that shares the limit with others.
    #[inline]
    pub(crate) const fn has_caller(&self) -> bool {
        self.caller.is_some()
    }

    /// Returns the hash of the caller, which is the same in all processes.
    #[inline]
    pub(crate) fn caller_hash(&self, settings: &KeySettings) -> Option<u64> {
        self.caller.as_ref().map(|caller| settings.caller_hash(&caller.values))
    }

    /// Notes why the key has no identity.
    pub(crate) fn set_absent(&mut self, kind: ErrorKind, why: &'static str) {
        self.absent = Some((kind, why));
    }

    /// Completes the values.
    ///
    /// # Errors
    ///
    /// Returns an error if an identity or a part is absent.
    #[inline]
    pub(crate) fn complete(&mut self, settings: &KeySettings) -> Result<(), Error> {
        if let Some(function) = self.function.take() {
            self.add_around(function, settings);
        }
        match self.absent {
            None => Ok(()),
            Some((kind, why)) => Err(absent(kind, why)),
        }
    }

    /// Adds the path of the type or function that contains the function, if there is one.
    #[inline(never)]
    fn add_around(&mut self, function: Function, settings: &KeySettings) {
        if let Some(around) = function.around(self.name.as_str()) {
            self.part(settings).text(around);
        }
    }

    /// The identities in the form in which the key contains them. Empty if all callers share the limit.
    pub(crate) fn identities(&self) -> &[u8] {
        self.pieces().0
    }

    /// The identities and the parts.
    #[inline]
    fn pieces(&self) -> (&[u8], &[u8]) {
        let values = self.values();
        values.split_at(if self.parts == 0 { values.len() } else { self.parts - 1 })
    }

    fn values(&self) -> &[u8] {
        self.values.as_deref().unwrap_or_default()
    }

    /// Returns the hash of the complete key with the format of this limit's state. `name` is the summand of the name.
    #[inline]
    pub(crate) fn hash(&self, name: u128, limit: &Limit, settings: &KeySettings) -> u64 {
        let mut fold = Fold::new(settings.secrets, settings.of_prefix.wrapping_add(name));
        fold.written(self.values());
        fold.hash(limit.algorithm())
    }

    /// Writes the key without its last part, the format, into the empty key `rendered`, so that no key is moved.
    #[inline]
    pub(crate) fn render(&self, rendered: &mut StoreKey, settings: &KeySettings) {
        let bytes = &mut rendered.bytes;
        bytes.extend_from_slice(settings.head.as_bytes());
        let (identities, parts) = self.pieces();
        if identities.is_empty() {
            self.name.push_to(bytes);
            bytes.extend_from_slice(parts);
            bytes.push(b'}');
        } else {
            bytes.extend_from_slice(identities);
            bytes.extend_from_slice(b"}:");
            self.name.push_to(bytes);
            bytes.extend_from_slice(parts);
        }
    }

    /// Completes a key that [`render`](Self::render) has written with the format of this limit's state. `name` is the summand of
    /// the name.
    #[inline]
    pub(crate) fn add_format(
        &self,
        name: u128,
        rendered: &mut StoreKey,
        limit: &Limit,
        settings: &KeySettings,
    ) {
        rendered.bytes.push(b':');
        rendered.bytes.extend_from_slice(limit.state_format().as_bytes());
        rendered.hash = self.hash(name, limit, settings);
    }
}

/// Returns the values of a key that was begun without a limiter, with the late ones.
fn settled(begun: &Bytes, late: &LateValues, settings: &KeySettings, absent: &mut Absent) -> Bytes {
    let mut values = Bytes::new();
    let mut pieces = begun.split(|byte| *byte == LATE);
    values.extend_from_slice(pieces.next().unwrap_or_default());
    for (write, piece) in late.0.iter().zip(pieces) {
        write(&mut KeyWriter::new(&mut values, settings, absent, None));
        values.extend_from_slice(piece);
    }
    values
}

#[cold]
fn absent(kind: ErrorKind, why: &'static str) -> Error {
    Error::new(kind, why)
}

/// Makes a key without a format, which is the last part of a key.
pub(crate) fn render(key: &(impl AsKey + ?Sized), settings: &KeySettings) -> Result<StoreKey, Error> {
    let mut builder = KeyBuilder::new(Name::new(key.name()), None);
    builder.add(key, settings);
    builder.complete(settings)?;
    let mut rendered = StoreKey::default();
    builder.render(&mut rendered, settings);
    Ok(rendered)
}

/// Hashes the values of a key without writing them. `name` is the summand of its name.
///
/// # Errors
///
/// Returns an error if an identity or a part is absent.
#[expect(clippy::inline_always, reason = "the values and the hash then stay in registers")]
#[inline(always)]
pub(crate) fn fold(name: u128, key: &(impl AsKey + ?Sized), settings: &KeySettings) -> Result<Fold, Error> {
    let mut fold = Fold::new(settings.secrets, settings.of_prefix.wrapping_add(name));
    let mut reason = None;
    key.write_identities(&mut ValueSink { to: Sink::Fold(&mut fold, &mut reason, false), settings });
    key.write_parts(&mut ValueSink { to: Sink::Fold(&mut fold, &mut reason, true), settings });
    match reason {
        None => Ok(fold),
        Some((kind, why)) => Err(absent(kind, why)),
    }
}

/// Receives the identities or the parts of a key, one by one.
#[doc(hidden)]
pub struct ValueSink<'b, 'n> {
    to: Sink<'b, 'n>,
    settings: &'b KeySettings,
}

enum Sink<'b, 'n> {
    Identities(&'b mut KeyBuilder<'n>),
    Parts(&'b mut KeyBuilder<'n>),
    Caller(&'b mut KeyBuilder<'n>),
    Fold(&'b mut Fold, &'b mut Absent, bool),
}

impl ValueSink<'_, '_> {
    #[expect(clippy::inline_always, reason = "the values and the hash then stay in registers")]
    #[inline(always)]
    pub(super) fn add(&mut self, value: &(impl Identity + ?Sized)) {
        let mut writer = match &mut self.to {
            Sink::Identities(builder) => builder.identity(self.settings),
            Sink::Parts(builder) => builder.part(self.settings),
            Sink::Caller(builder) => builder.caller(self.settings),
            Sink::Fold(fold, absent, is_part) => KeyWriter::folding(fold, self.settings, absent, *is_part),
        };
        value.write(&mut writer);
    }
}
