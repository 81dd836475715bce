//! `Bytes`: a buffer for the bytes of a key. Up to 128 bytes need no heap allocation.

use std::ops::Deref;

/// The number of bytes that need no heap allocation.
const INLINE: usize = 128;

/// A buffer to which bytes are appended piece by piece. Up to `INLINE` bytes need no heap allocation. Most pieces are short, and
/// are copied without a call of `memcpy`. An empty buffer consists of zeros, so that it is made in place.
#[derive(Clone)]
pub(crate) struct Bytes {
    inline: [u8; INLINE],
    len: usize,
    /// All bytes, if there are more than `INLINE` of them.
    heap: Option<Box<Heap>>,
}

/// It is boxed, so that a buffer that does not use it is small.
#[derive(Clone)]
struct Heap(Vec<u8>);

impl Bytes {
    #[inline]
    pub(crate) const fn new() -> Self {
        Self { inline: [0; INLINE], len: 0, heap: None }
    }

    /// Copies these bytes into a new buffer.
    #[inline]
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut inline = [0; INLINE];
        let heap = match inline.get_mut(..bytes.len()) {
            Some(place) => {
                place.copy_from_slice(bytes);
                None
            }
            None => Some(Box::new(Heap(bytes.to_vec()))),
        };
        Self { inline, len: bytes.len(), heap }
    }

    #[inline]
    pub(crate) fn push(&mut self, byte: u8) {
        if let Some(place) = self.inline.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        } else {
            self.extend_on_heap(&[byte]);
        }
    }

    #[inline]
    pub(crate) fn extend_from_slice(&mut self, bytes: &[u8]) {
        if let Some(place) = self.inline.get_mut(self.len..).and_then(|free| free.get_mut(..bytes.len())) {
            copy(place, bytes);
            self.len += bytes.len();
        } else {
            self.extend_on_heap(bytes);
        }
    }

    /// Appends the lowest `len` bytes of a word, the lowest byte first. If the buffer has room for 8 bytes, this needs only one
    /// write.
    #[inline]
    pub(crate) fn push_word(&mut self, word: u64, len: usize) {
        let bytes = word.to_le_bytes();
        match self.inline.get_mut(self.len..).and_then(<[u8]>::first_chunk_mut) {
            Some(place) => {
                *place = bytes;
                self.len += len;
            }
            None => self.extend_from_slice(&bytes[..len]),
        }
    }

    #[cold]
    fn extend_on_heap(&mut self, bytes: &[u8]) {
        let Self { inline, len, heap } = self;
        let heap = &mut heap.get_or_insert_with(|| Box::new(Heap(inline[..*len].to_vec()))).0;
        heap.extend_from_slice(bytes);
        self.len = heap.len();
    }
}

/// Copies a slice to another slice of the same length. Up to 32 bytes are copied as two pieces of a fixed size, which may
/// overlap, without a call of `memcpy`.
#[inline]
pub(crate) fn copy(to: &mut [u8], from: &[u8]) {
    macro_rules! halves {
        ($size:literal) => {
            if from.len() <= 2 * $size
                && let (Some(first), Some(last)) = (from.first_chunk::<$size>(), from.last_chunk::<$size>())
            {
                if let Some(to) = to.first_chunk_mut::<$size>() {
                    *to = *first;
                }
                if let Some(to) = to.last_chunk_mut::<$size>() {
                    *to = *last;
                }
                return;
            }
        };
    }
    halves!(8);
    halves!(16);
    halves!(4);
    halves!(2);
    halves!(1);
    to.copy_from_slice(from);
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.inline.get(..self.len).unwrap_or_else(|| self.heap.as_ref().map_or(&[], |heap| &heap.0))
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Writes a number in decimal digits.
#[inline]
pub(crate) fn push_number(bytes: &mut Bytes, number: u64) {
    match short_number(number) {
        Some((word, len)) => bytes.push_word(word, len),
        None => push_long_number(bytes, number),
    }
}

/// The decimal digits of a number as a word with the first digit in the lowest byte, and the number of digits. `None` if there
/// are more than eight.
#[expect(clippy::inline_always, reason = "the digits then stay in registers")]
#[inline(always)]
pub(super) fn short_number(number: u64) -> Option<(u64, usize)> {
    if number >= EIGHT_DIGITS {
        return None;
    }
    if number < 10 {
        return Some((u64::from(b'0') + number, 1));
    }
    let digits = digits_of(number);
    let zeros = (digits.trailing_zeros() / 8).min(7);
    Some(((digits | ZEROS) >> (8 * zeros), 8 - zeros as usize))
}

#[cold]
fn push_long_number(bytes: &mut Bytes, number: u64) {
    push_number(bytes, number / EIGHT_DIGITS);
    bytes.push_word(digits_of(number % EIGHT_DIGITS) | ZEROS, 8);
}

/// The smallest number with more than eight digits.
const EIGHT_DIGITS: u64 = 100_000_000;
/// The text `00000000`, one character in each byte.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The eight digits of a number below 10^8 as bytes from 0 to 9, with the first digit in the lowest byte. Each step splits all
/// groups of digits at once: first into two groups of four digits, then into four groups of two, then into eight digits. The last
/// two steps multiply by a rounded-up reciprocal instead of dividing. For these numbers, the result is exact.
#[inline]
const fn digits_of(number: u64) -> u64 {
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds | (fours - 100 * hundreds) << 16;
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | (twos - 10 * tens) << 8
}

/// Writes a number in hexadecimal digits without leading zeros.
pub(crate) fn push_hex_number(bytes: &mut Bytes, number: u16) {
    let digits = (u16::BITS - number.leading_zeros()).div_ceil(4).max(1);
    for digit in (0..digits).rev() {
        bytes.push(HEX[usize::from(number >> (4 * digit) & 15)]);
    }
}

/// Writes a byte in two hexadecimal digits.
pub(super) fn push_hex(bytes: &mut Bytes, byte: u8) {
    bytes.push(HEX[usize::from(byte >> 4)]);
    bytes.push(HEX[usize::from(byte & 15)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_all_lengths_are_appended_at_all_places() {
        let text: Vec<u8> = (0..=255).collect();
        for first in 0..=INLINE + 2 {
            for second in 0..=INLINE + 2 {
                let mut bytes = Bytes::new();
                bytes.extend_from_slice(&text[..first]);
                bytes.push(7);
                bytes.extend_from_slice(&text[100..100 + second]);
                assert_eq!(*bytes, [&text[..first], &[7], &text[100..100 + second]].concat());
                assert_eq!(bytes.heap.is_none(), bytes.len() <= INLINE);
                assert_eq!(*Bytes::of(&bytes), *bytes);
            }
        }
    }
}
