//! `KeyWriter`: writes one value after another into a key.

#![expect(clippy::inline_always, reason = "the values of a key and their hash then stay in registers")]

use super::bytes::{push_hex, push_number, short_number};
use super::escape::{are_plain, is_written, push_value};
use super::{Bytes, Fold, KeySettings, ip};
use crate::error::ErrorKind;
use crate::macros::opaque;
use siphasher::sip128::{Hasher128, SipHasher24};
use std::fmt::{self, Write};
use std::hash::Hasher;
use std::net::IpAddr;
use std::sync::Arc;

/// The maximum length of a value in bytes. Longer values are replaced by their hash, so that callers cannot make keys long.
pub(super) const MAX_VALUE: usize = 64;

/// The reason why a key has no identity. `None` if the key has an identity.
pub(crate) type Absent = Option<(ErrorKind, &'static str)>;

/// A value of a key that depends on the limiter or on the request context, which are not known yet. The function writes it.
pub(crate) type LateValue = Arc<dyn Fn(&mut KeyWriter<'_>) + Send + Sync>;
/// The late values of a key, in order.
#[derive(Clone, Default)]
pub(crate) struct LateValues(pub(crate) Vec<LateValue>);

/// The byte that stands for a late value. No value and no name contains it, because control characters are escaped.
pub(crate) const LATE: u8 = 0;

/// Writes an identity, or a part of a name, into a key.
///
/// Each call writes one value. Values are separated, so `("a", "b")` and `("ab", "")` differ. Control characters, spaces, and
/// bytes that have a meaning in a key are escaped as `%XX`. Values of more than 64 bytes are replaced by a keyed 128-bit hash.
///
/// See the example of [`Identity`](crate::identity::Identity).
pub struct KeyWriter<'w> {
    target: Target<'w>,
    settings: &'w KeySettings,
    absent: &'w mut Absent,
    separator: Option<u8>,
    written: bool,
    /// The late values of a key that is written before its limiter is known. `None` for any other key.
    late: Option<&'w mut LateValues>,
}

/// What becomes of the values: they are written, or only hashed.
enum Target<'w> {
    Values(&'w mut Bytes),
    Fold(&'w mut Fold),
}

impl<'w> KeyWriter<'w> {
    #[inline]
    pub(crate) fn new(
        values: &'w mut Bytes,
        settings: &'w KeySettings,
        absent: &'w mut Absent,
        separator: Option<u8>,
    ) -> Self {
        Self { target: Target::Values(values), settings, absent, separator, written: false, late: None }
    }

    /// Creates a writer that hashes the values. The first value begins a part if `is_part` is true.
    #[inline(always)]
    pub(crate) fn folding(
        fold: &'w mut Fold,
        settings: &'w KeySettings,
        absent: &'w mut Absent,
        is_part: bool,
    ) -> Self {
        let separator = is_part.then_some(b'=');
        Self { target: Target::Fold(fold), settings, absent, separator, written: false, late: None }
    }

    /// Writes a key whose limiter is not known yet. Values that depend on the limiter are appended to `late`.
    pub(crate) fn with_late(self, late: Option<&'w mut LateValues>) -> Self {
        let mut writer = self;
        writer.late = late;
        writer
    }

    /// Lets `write` write the value once the limiter of the key is known. Returns `false` if the limiter is already known. The
    /// caller then writes the value itself.
    pub(crate) fn write_late(&mut self, write: impl Fn(&mut KeyWriter<'_>) + Send + Sync + 'static) -> bool {
        if self.late.is_none() {
            return false;
        }
        self.value(|bytes| bytes.push(LATE));
        if let Some(late) = &mut self.late {
            late.0.push(Arc::new(write));
        }
        true
    }

    /// Writes text.
    #[inline(always)]
    pub fn text(&mut self, text: &str) {
        let (bytes, settings) = (text.as_bytes(), self.settings);
        let Some((fold, part)) = self.fold() else { return self.any_text(bytes) };
        if bytes.len() <= MAX_VALUE && !bytes.is_empty() && are_plain(bytes) {
            fold.bytes(bytes, part);
        } else {
            let is_long = bytes.len() > MAX_VALUE;
            *fold = folded(*fold, part, |value| {
                if is_long { push_secret(value, bytes, settings) } else { push_value(value, bytes) }
            });
        }
    }

    #[inline(never)]
    fn any_text(&mut self, text: &[u8]) {
        if text.len() > MAX_VALUE {
            return self.secret(text);
        }
        self.value(|bytes| push_value(bytes, text));
    }

    /// Writes a whole number.
    #[inline(always)]
    pub(crate) fn integer(&mut self, is_negative: bool, magnitude: u64) {
        let write = |value: &mut Bytes| {
            if is_negative {
                value.push(b'-');
            }
            push_number(value, magnitude);
        };
        let Some((fold, part)) = self.fold() else { return self.value(write) };
        match short_number(magnitude) {
            Some((word, len)) if !is_negative => {
                fold.word(word);
                fold.value(len, part);
            }
            _ => *fold = folded(*fold, part, write),
        }
    }

    /// The hash if the values are only hashed, and whether the next value begins a part. No function that is not inlined may get
    /// a pointer to the hash, so that it stays in registers.
    #[inline(always)]
    fn fold(&mut self) -> Option<(&mut Fold, bool)> {
        let Target::Fold(fold) = &mut self.target else { return None };
        self.written = true;
        let begins_part = self.separator.replace(b',') == Some(b'=');
        Some((fold, begins_part))
    }

    /// Writes a value with its separator, or hashes what `write` writes.
    #[inline]
    fn value(&mut self, write: impl FnOnce(&mut Bytes)) {
        let separator = self.separate();
        match &mut self.target {
            Target::Values(values) => {
                if let Some(separator) = separator {
                    values.push(separator);
                }
                write(values);
            }
            Target::Fold(fold) => **fold = folded(**fold, separator == Some(b'='), write),
        }
    }

    /// Writes the `Display` text of a value.
    pub fn display(&mut self, value: &dyn fmt::Display) {
        if self.late.is_some() {
            let mut text = String::new();
            self.note_display(write!(text, "{value}"));
            return self.text(&text);
        }
        let settings = self.settings;
        let mut displayed =
            DisplayedText { head: smallvec::SmallVec::new(), long: None, hasher: hasher(settings) };
        self.note_display(write!(displayed, "{value}"));
        match displayed.long {
            Some(hasher) => self.value(|bytes| push_hash(bytes, &hasher, settings)),
            None => self.any_text(&displayed.head),
        }
    }

    /// Writes an address. An IPv4 address is written in full, also if it is mapped into IPv6 or comes through NAT64. Of an IPv6
    /// address, only the first bits are written: 64, or the number that [`ipv6_prefix`](crate::RateLimiterBuilder::ipv6_prefix)
    /// has set.
    #[inline(always)]
    pub fn ip(&mut self, address: IpAddr) {
        if address.is_ipv6() && self.write_late(move |key| key.ip(address)) {
            return;
        }
        let prefix = self.settings.ipv6_prefix;
        let write = |value: &mut Bytes| ip::write(value, address, prefix);
        let Some((fold, part)) = self.fold() else { return self.value(write) };
        match address {
            IpAddr::V4(address) => {
                let (words, len) = ip::words_of_v4(address);
                fold.word(words[0]);
                if len > 8 {
                    fold.word(words[1]);
                }
                fold.value(len, part);
            }
            IpAddr::V6(_) => *fold = folded(*fold, part, write),
        }
    }

    /// Writes the keyed hash of a value that must not be readable in the store, such as a token.
    pub fn secret(&mut self, secret: &[u8]) {
        if self.late.is_some() {
            let secret = secret.to_vec();
            self.write_late(move |key| key.secret(&secret));
            return;
        }
        let settings = self.settings;
        self.value(|bytes| push_secret(bytes, secret, settings));
    }

    /// Writes a value that already has the form in which keys contain it, such as `al%20ice`, or `#` and the 32 digits of a
    /// hash. It is for tools that show keys ([`StoredKey`](crate::store::StoredKey)). A value that does not have this form is
    /// written as [`text`](Self::text) writes it.
    pub fn written(&mut self, value: &str) {
        if is_written(value) {
            self.value(|bytes| bytes.extend_from_slice(value.as_bytes()));
        } else {
            self.text(value);
        }
    }

    /// Notes that there is no identity. The call is then rejected as [`Unidentified`](crate::Rejection::Unidentified), so that
    /// calls without an identity do not share one limit.
    pub fn absent(&mut self) {
        let why = "the call has no identity; to let such calls pass, exempt them with `skip_if`";
        self.fail(ErrorKind::NoIdentity, why);
    }

    /// Notes why the call cannot be identified.
    pub(crate) fn fail(&mut self, kind: ErrorKind, why: &'static str) {
        self.written = true;
        *self.absent = Some((kind, why));
    }

    /// Notes that a value cannot be displayed, if that is the result.
    fn note_display(&mut self, result: fmt::Result) {
        if result.is_err() {
            *self.absent = Some((
                ErrorKind::NoIdentity,
                "the `Display` implementation of an identity returned an error",
            ));
        }
    }

    #[inline]
    fn separate(&mut self) -> Option<u8> {
        self.written = true;
        self.separator.replace(b',')
    }
}

/// If the `Identity` wrote nothing into this writer, notes that the key has no identity. Otherwise all identities that write
/// nothing would share one limit.
impl Drop for KeyWriter<'_> {
    #[inline]
    fn drop(&mut self) {
        if !self.written {
            self.absent.get_or_insert((ErrorKind::NoIdentity, "the `Identity` implementation wrote nothing"));
        }
    }
}

opaque!(KeyWriter<'_>);

/// Collects the `Display` text of a value. If the text is longer than [`MAX_VALUE`], hashes it instead.
struct DisplayedText {
    head: smallvec::SmallVec<[u8; MAX_VALUE]>,
    long: Option<SipHasher24>,
    hasher: SipHasher24,
}

impl Write for DisplayedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.long.is_none() && self.head.len() + text.len() <= MAX_VALUE {
            self.head.extend_from_slice(text.as_bytes());
            return Ok(());
        }
        let long = self.long.get_or_insert_with(|| {
            self.hasher.write(&self.head);
            self.hasher
        });
        long.write(text.as_bytes());
        Ok(())
    }
}

/// Adds what `write` writes to a hash.
#[cold]
#[inline(never)]
fn folded(fold: Fold, begins_part: bool, write: impl FnOnce(&mut Bytes)) -> Fold {
    let (mut fold, mut value) = (fold, Bytes::new());
    write(&mut value);
    fold.bytes(&value, begins_part);
    fold
}

fn hasher(settings: &KeySettings) -> SipHasher24 {
    SipHasher24::new_with_key(&settings.secret)
}

/// Writes the hash of a value that must not be readable in the store.
fn push_secret(bytes: &mut Bytes, secret: &[u8], settings: &KeySettings) {
    settings.note_secret();
    let mut hasher = hasher(settings);
    hasher.write(secret);
    push_hash(bytes, &hasher, settings);
}

fn push_hash(bytes: &mut Bytes, hasher: &SipHasher24, settings: &KeySettings) {
    settings.note_hash();
    bytes.push(b'#');
    for byte in hasher.finish128().as_bytes() {
        push_hex(bytes, byte);
    }
}
