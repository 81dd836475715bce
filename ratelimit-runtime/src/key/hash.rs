//! The keyed hash of a store key. Tables in this process store the hash instead of the key.
//!
//! Keys of at most 135 bytes are hashed by multilinear hashing (Carter and Wegman 1979; Lemire and Kaser, "Strongly universal
//! string hashing is fast", 2014). Each word of 64 bits is multiplied by its own secret random number of 128 bits. The hash is
//! the upper half of the sum of these products and another secret. A bit after the last byte of the key distinguishes keys of
//! different lengths. The hash is strongly universal: for any two different keys, the probability that their hashes are equal
//! is 2^-64. For `n` bits of the hash, such as the bits that select a shard, it is 2^-n. The proof assumes only that the
//! secrets are random, and that the keys are chosen without knowledge of the secrets. No hash leaves the process. `SipHash`
//! hashes longer keys, and makes the secrets. Its security is not proven, and it takes three to four times as long for keys of
//! at most 135 bytes.

use super::StoreKey;
use crate::random;
use siphasher::sip::SipHasher13;

/// The number of whole 64-bit words in a key of 135 bytes, which is the longest key for which there are secrets.
const WORDS: usize = 16;

/// A secret random hash key, so that nobody can choose keys that collide.
pub(crate) struct HashKey {
    added: u128,
    of_words: [u128; WORDS + 1],
    of_long_keys: SipHasher13,
}

impl HashKey {
    /// Creates a random hash key.
    pub(crate) fn random() -> Self {
        let number = |_| u128::from(random::bits()) << 64 | u128::from(random::bits());
        let of_long_keys = SipHasher13::new_with_keys(random::bits(), random::bits());
        Self { added: number(0), of_words: std::array::from_fn(number), of_long_keys }
    }

    #[inline]
    pub(crate) fn hash(&self, key: &StoreKey) -> u64 {
        let bytes = key.as_bytes();
        let (words, rest) = bytes.as_chunks::<8>();
        let Some(of_last) = self.of_words.get(words.len()) else { return self.of_long_keys.hash(bytes) };
        let product = |word: u64, secret: &u128| secret.wrapping_mul(u128::from(word));
        let mut sum = self.added.wrapping_add(product(last_word(bytes, rest.len()), of_last));
        for (word, secret) in words.iter().zip(&self.of_words) {
            sum = sum.wrapping_add(product(u64::from_le_bytes(*word), secret));
        }
        scattered((sum >> 64) as u64)
    }
}

/// Returns the last `rest` bytes of a key, with a set bit after them. `rest` is less than eight.
#[inline]
fn last_word(bytes: &[u8], rest: usize) -> u64 {
    let end = 1 << (8 * rest);
    match bytes.last_chunk::<8>() {
        // Shifts twice, because a single shift by 64 bits would overflow.
        Some(last) => end | u64::from_le_bytes(*last) >> 8 >> (56 - 8 * rest),
        None => bytes.iter().rev().fold(1, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// Scatters a hash, because the hashes of consecutive keys are at equal distances. Different hashes stay different, so the
/// probability of a collision does not change.
#[inline]
fn scattered(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ hash >> 29
}

/// Hashes a short text without a secret. Somebody who chooses the texts can find texts with equal hashes.
#[inline]
pub(crate) fn open_hash(text: &[u8]) -> u64 {
    let mix = |state: u64, word: [u8; 8]| {
        (state.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    let (words, rest) = text.as_chunks::<8>();
    let state = words.iter().copied().fold(text.len() as u64, mix);
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let hash = mix(state, last);
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Returns keys that differ little, such as numbered keys, or keys that an attacker chooses.
    fn keys() -> Vec<StoreKey> {
        let mut keys: Vec<Vec<u8>> =
            (0..100_000).map(|key| format!("shop:{{{key}}}:login:c1").into_bytes()).collect();
        keys.extend((0..100_000_u64).map(|key| [key.to_le_bytes(), [0; 8]].concat()));
        keys.extend((0..100_000_u64).map(|key| (key << 40).to_be_bytes().to_vec()));
        keys.extend((0..300).map(|length| vec![0; length]));
        keys.extend((0..300).map(|length| [vec![0; length], vec![1]].concat()));
        keys.extend((0..=u16::MAX).map(|key| [[0; 8].as_slice(), &key.to_le_bytes()].concat()));
        keys.iter().map(|key| StoreKey::new(key)).collect()
    }

    #[test]
    fn keys_that_differ_little_do_not_collide() {
        let (keys, hash_key) = (keys(), HashKey::random());
        let different: HashSet<&[u8]> = keys.iter().map(StoreKey::as_bytes).collect();
        let hashes: HashSet<u64> = keys.iter().map(|key| hash_key.hash(key)).collect();
        assert_eq!(hashes.len(), different.len());
    }

    /// Numbers that differ only in 16 bits have different hashes, and each tested byte of the hashes has all 256 values.
    #[test]
    fn hashes_that_differ_in_some_bits_differ_in_all_parts() {
        let functions: [fn(u64) -> u64; 2] = [scattered, |number| open_hash(&number.to_le_bytes())];
        for (function, hash) in functions.into_iter().enumerate() {
            for shift in [0, 16, 32, 48] {
                let numbers = (0..=u16::MAX).map(|number| !(u64::from(number) << shift));
                let hashes: Vec<u64> = numbers.map(hash).collect();
                assert_eq!(hashes.iter().collect::<HashSet<_>>().len(), hashes.len(), "{function}: {shift}");
                for part in [0, 8, 48, 56] {
                    let different: HashSet<u64> = hashes.iter().map(|hash| hash >> part & 0xff).collect();
                    assert_eq!(different.len(), 256, "{function}: {shift}, {part}");
                }
            }
        }
    }

    /// The bits that a table uses are as evenly spread as random numbers: chi squared is at most six standard deviations above
    /// its mean.
    #[test]
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "small numbers")]
    fn low_and_high_bits_are_spread_evenly() {
        const PLACES: usize = 512;
        for family in keys().chunks(100_000).filter(|family| family.len() == 100_000) {
            let hash_key = HashKey::random();
            let places: [fn(u64) -> usize; 3] = [
                |hash| hash as usize % PLACES,
                |hash| (hash >> 55) as usize,
                |hash| (hash >> 32) as usize % PLACES,
            ];
            for place in places {
                let mut counts = [0_f64; PLACES];
                for key in family {
                    counts[place(hash_key.hash(key))] += 1.0;
                }
                let mean = family.len() as f64 / PLACES as f64;
                let chi_squared: f64 = counts.iter().map(|count| (count - mean).powi(2) / mean).sum();
                let (expected, deviation) = (PLACES as f64 - 1.0, (2.0 * (PLACES as f64 - 1.0)).sqrt());
                assert!(chi_squared < expected + 6.0 * deviation, "{chi_squared}");
            }
        }
    }
}
