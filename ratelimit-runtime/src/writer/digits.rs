//! Numbers as digits in a key: decimal and hexadecimal.

use super::Bytes;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Writes a number in decimal digits.
#[inline]
pub(crate) fn push_number(bytes: &mut Bytes, number: u64) {
    if number >= EIGHT_DIGITS {
        return push_long_number(bytes, number);
    }
    let digits = digits_of(number);
    let zeros = (digits.trailing_zeros() / 8).min(7);
    bytes.push_word((digits | ZEROS) >> (8 * zeros), 8 - zeros as usize);
}

#[cold]
fn push_long_number(bytes: &mut Bytes, number: u64) {
    push_number(bytes, number / EIGHT_DIGITS);
    bytes.push_word(digits_of(number % EIGHT_DIGITS) | ZEROS, 8);
}

/// The numbers from here on have more than eight digits.
const EIGHT_DIGITS: u64 = 100_000_000;
/// Eight digits `0`.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The eight digits of a number as bytes from 0 to 9, the first in the lowest byte. Each step splits all groups of digits at
/// once: two of four digits, four of two, and eight of one. The products with rounded-up reciprocals are exact for them.
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
