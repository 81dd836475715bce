//! Escapes in values: bytes with a meaning in a key, and bytes that nobody sees, are written as `%XX`.

use super::Bytes;
use super::bytes::push_hex;
use super::write::MAX_VALUE;

/// Writes a value, with escapes where they are needed. An empty value becomes `%`, because a cluster ignores an empty tag when
/// it computes the slot.
pub(super) fn push_value(bytes: &mut Bytes, value: &[u8]) {
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
pub(super) fn are_plain(value: &[u8]) -> bool {
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

/// A plain byte of a value is written without an escape.
pub(crate) const fn is_plain(byte: u8) -> bool {
    PLAIN[byte as usize]
}

/// Whether a text is one value in the form in which keys contain it. A longer value would have been hashed.
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
