//! `Fold`: hashes the values of a key one by one, without writing them.

use super::hash::{Secrets, product};
use crate::limit::Algorithm;

/// The sum over the pieces of a key so far. Each value is hashed in the form in which keys contain it: its words of eight bytes,
/// the last one filled up with zeros, each multiplied by the secret of its place. The shape has the length of each value, and
/// whether it begins a part. So the shape tells where each value is, and different values differ in a word or in the shape.
#[derive(Clone, Copy)]
pub(crate) struct Fold {
    secrets: &'static Secrets,
    sum: u128,
    /// The number of words so far.
    at: usize,
    /// Nine bits for each value.
    shape: u64,
}

const SHAPE_BITS: u32 = 9;
/// The bits of a shape that are zero if there is room for one more value.
const FULL: u64 = u64::MAX << (63 - SHAPE_BITS);

impl Fold {
    /// Begins with the sum of the prefix and the name.
    #[inline]
    pub(crate) const fn new(secrets: &'static Secrets, sum: u128) -> Self {
        Self { secrets, sum, at: 0, shape: 0 }
    }

    /// Adds a value of at most 255 bytes.
    #[expect(clippy::inline_always, reason = "the sum then stays in registers")]
    #[inline(always)]
    pub(crate) fn bytes(&mut self, value: &[u8], begins_part: bool) {
        let (words, rest) = value.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            self.word(last_word(value, rest.len()));
        }
        self.value(value.len(), begins_part);
    }

    /// Adds the values of a key, as [`KeyWriter`](super::KeyWriter) writes them.
    pub(crate) fn written(&mut self, values: &[u8]) {
        let mut begins_part = values.first() == Some(&b'=');
        let mut rest = if begins_part { &values[1..] } else { values };
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b',' | b'=')) {
            self.bytes(&rest[..at], begins_part);
            (begins_part, rest) = (rest[at] == b'=', &rest[at + 1..]);
        }
        if !values.is_empty() {
            self.bytes(rest, begins_part);
        }
    }

    #[expect(clippy::inline_always, reason = "the sum then stays in registers")]
    #[inline(always)]
    pub(super) fn word(&mut self, word: u64) {
        if self.at >= Secrets::WORDS {
            *self = self.compressed();
        }
        self.sum = self.sum.wrapping_add(product(word, self.secrets.of_word(self.at)));
        self.at += 1;
    }

    #[expect(clippy::inline_always, reason = "the sum then stays in registers")]
    #[inline(always)]
    pub(super) fn value(&mut self, len: usize, begins_part: bool) {
        if self.shape & FULL != 0 {
            *self = self.compressed();
        }
        self.shape = self.shape << SHAPE_BITS | (len as u64) << 1 | u64::from(begins_part);
    }

    /// Hashes everything so far, so that there is room for more words and values. The sum is passed by value: it stays in
    /// registers only if no function that is not inlined gets a pointer to it.
    #[cold]
    #[inline(never)]
    fn compressed(self) -> Self {
        Self::new(self.secrets, self.secrets.compressed(self.sum, self.shape))
    }

    /// Each algorithm has its own format of keys.
    #[inline]
    pub(crate) fn hash(&self, algorithm: Algorithm) -> u64 {
        self.secrets.hash(self.sum, self.shape, algorithm)
    }
}

/// The last `rest` bytes of a value, from one to seven, as a word.
#[inline]
fn last_word(value: &[u8], rest: usize) -> u64 {
    match value.last_chunk::<8>() {
        Some(last) => u64::from_le_bytes(*last) >> (64 - 8 * rest),
        None => super::hash::short_word(value),
    }
}
