//! `KeyWriter`: writes one value after another into a key.

#![expect(clippy::inline_always, reason = "the values of a key and their hash then stay in registers")]

use super::bytes::{push_hex, push_number, short_number};
use super::{Bytes, Fold, KeySettings, ip};
use crate::error::ErrorKind;
use crate::macros::opaque;
use siphasher::sip128::{Hasher128, SipHasher24};
use std::fmt::{self, Write};
use std::hash::Hasher;
use std::net::IpAddr;
use std::sync::Arc;

/// The maximum length of a value in bytes. Longer values are replaced by their hash, so that callers cannot make keys long.
const MAX_VALUE: usize = 64;

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
        if text.len() > MAX_VALUE {
            return self.secret(text.as_bytes());
        }
        if let Target::Fold(_) = self.target
            && !text.is_empty()
            && are_plain(text.as_bytes())
        {
            let begins_part = self.begins_part();
            if let Target::Fold(fold) = &mut self.target {
                fold.bytes(text.as_bytes(), begins_part);
            }
            return;
        }
        self.any_text(text.as_bytes());
    }

    #[inline(never)]
    fn any_text(&mut self, text: &[u8]) {
        self.value(|bytes| push_value(bytes, text));
    }

    /// Writes a whole number.
    #[inline(always)]
    pub(crate) fn integer(&mut self, is_negative: bool, magnitude: u64) {
        if let (Target::Fold(_), false, Some((word, len))) =
            (&self.target, is_negative, short_number(magnitude))
        {
            let begins_part = self.begins_part();
            if let Target::Fold(fold) = &mut self.target {
                fold.short(word, len, begins_part);
            }
            return;
        }
        self.any_integer(is_negative, magnitude);
    }

    #[inline]
    fn any_integer(&mut self, is_negative: bool, magnitude: u64) {
        self.value(|bytes| {
            if is_negative {
                bytes.push(b'-');
            }
            push_number(bytes, magnitude);
        });
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
            Target::Fold(fold) => {
                let mut value = Bytes::new();
                write(&mut value);
                fold.bytes(&value, separator == Some(b'='));
            }
        }
    }

    /// Writes the `Display` text of a value.
    pub fn display(&mut self, value: &dyn fmt::Display) {
        if self.late.is_some() {
            let mut text = String::new();
            self.note_display(write!(text, "{value}"));
            return self.text(&text);
        }
        let mut displayed =
            DisplayedText { head: smallvec::SmallVec::new(), long: None, hasher: self.hasher() };
        self.note_display(write!(displayed, "{value}"));
        match displayed.long {
            Some(hasher) => self.push_hash(&hasher),
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
        if let (Target::Fold(_), IpAddr::V4(address)) = (&self.target, address) {
            let (words, len) = ip::words_of_v4(address);
            let begins_part = self.begins_part();
            if let Target::Fold(fold) = &mut self.target {
                fold.word(words[0]);
                if len > 8 {
                    fold.word(words[1]);
                }
                fold.value(len, begins_part);
            }
            return;
        }
        let prefix = self.settings.ipv6_prefix;
        self.value(|bytes| ip::write(bytes, address, prefix));
    }

    /// Writes the keyed hash of a value that must not be readable in the store, such as a token.
    pub fn secret(&mut self, secret: &[u8]) {
        if self.late.is_some() {
            let secret = secret.to_vec();
            self.write_late(move |key| key.secret(&secret));
            return;
        }
        self.settings.note_secret();
        let mut hasher = self.hasher();
        hasher.write(secret);
        self.push_hash(&hasher);
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

    /// Returns the separator in front of the next value.
    #[inline]
    fn separate(&mut self) -> Option<u8> {
        self.written = true;
        self.separator.replace(b',')
    }

    #[inline]
    fn begins_part(&mut self) -> bool {
        self.separate() == Some(b'=')
    }

    fn hasher(&self) -> SipHasher24 {
        SipHasher24::new_with_key(&self.settings.secret)
    }

    fn push_hash(&mut self, hasher: &SipHasher24) {
        self.settings.note_hash();
        self.value(|bytes| {
            bytes.push(b'#');
            for byte in hasher.finish128().as_bytes() {
                push_hex(bytes, byte);
            }
        });
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

/// Writes a value, with escapes where they are needed. An empty value becomes `%`, because a cluster ignores an empty tag when
/// it computes the slot.
fn push_value(bytes: &mut Bytes, value: &[u8]) {
    if value.is_empty() {
        bytes.push(b'%');
    } else if are_plain(value) {
        bytes.extend_from_slice(value);
    } else {
        for byte in value {
            push_escaped(bytes, *byte);
        }
    }
}

/// Whether no byte of a value needs an escape.
#[inline]
fn are_plain(value: &[u8]) -> bool {
    value.iter().fold(true, |plain, byte| plain & PLAIN[usize::from(*byte)])
}

/// Writes a byte of a value, as `%XX` if it needs an escape.
pub(crate) fn push_escaped(bytes: &mut Bytes, byte: u8) {
    if PLAIN[usize::from(byte)] {
        bytes.push(byte);
    } else {
        bytes.push(b'%');
        push_hex(bytes, byte);
    }
}

/// Returns whether a byte of a value is written without an escape.
pub(crate) const fn is_plain(byte: u8) -> bool {
    PLAIN[byte as usize]
}

/// Returns whether a text is one value in the form in which keys contain it. A longer value would have been hashed.
pub(crate) fn is_written(value: &str) -> bool {
    let is_digits = |digits: &str| digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if let Some(hash) = value.strip_prefix('#') {
        return hash.len() == 32 && is_digits(hash);
    }
    let are_plain = |text: &str| text.bytes().all(is_plain);
    // Only bytes that are not plain are escaped, so an escaped plain byte is not accepted.
    let is_escaped = |rest: &str| {
        rest.split_at_checked(2).is_some_and(|(digits, plain)| {
            let byte = u8::from_str_radix(digits, 16);
            is_digits(digits) && are_plain(plain) && byte.is_ok_and(|byte| !is_plain(byte))
        })
    };
    let is_short = value.len() <= MAX_VALUE + 2 * value.matches('%').count();
    let mut pieces = value.split('%');
    value == "%"
        || (!value.is_empty() && is_short && pieces.next().is_some_and(are_plain) && pieces.all(is_escaped))
}

/// For each byte, whether it is written without an escape. Escapes are needed for control characters, the space, and bytes with
/// a meaning in a key.
const PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < 256 {
        plain[byte] = byte > 0x20 && byte != 0x7f;
        byte += 1;
    }
    let special = *b"%{}:=,#<>";
    let mut i = 0;
    while i < special.len() {
        plain[special[i] as usize] = false;
        i += 1;
    }
    plain
};
