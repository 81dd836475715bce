//! Keyed hash of a store key. Tables in this process store the hash instead of the key.
//!
//! Keys of at most 128 bytes are hashed by multilinear hashing (Carter and Wegman 1979; Lemire and Kaser, "Strongly
//! universal string hashing is fast", 2014). The length and each word of 64 bits are multiplied by a secret random number of
//! 128 bits, another secret is added, and the upper half of the sum is the hash. It is strongly universal: whatever two keys
//! somebody chooses, the probability that their hashes are equal is 2^-64, and so it is for any part of the hash, such as the
//! bits that select a shard. The proof assumes only that the secrets are random and that the keys are chosen without
//! knowledge of them. No hash leaves the process. `SipHash` rests on the belief that nobody can break it, and takes three to
//! four times as long for such keys. It hashes longer keys, and makes the secrets.

use super::StoreKey;
use siphasher::sip::SipHasher13;
use std::hash::{BuildHasher, RandomState};

/// The words of the longest key that has secrets of its own.
const WORDS: usize = 16;

/// A secret random hash key, so that nobody can choose keys that collide.
pub(crate) struct HashKey {
    added: u128,
    of_length: u128,
    of_words: [u128; WORDS],
    of_long_keys: SipHasher13,
}

impl HashKey {
    /// A new random hash key.
    pub(crate) fn random() -> Self {
        // std has no other source of randomness. Its SipHash with a random key makes random numbers from different inputs.
        let random = RandomState::new();
        let number =
            |at: usize| u128::from(random.hash_one((at, 0))) << 64 | u128::from(random.hash_one((at, 1)));
        let of_long_keys = SipHasher13::new_with_keys(random.hash_one(2), random.hash_one(3));
        Self {
            added: number(WORDS),
            of_length: number(WORDS + 1),
            of_words: std::array::from_fn(number),
            of_long_keys,
        }
    }

    pub(crate) fn hash(&self, key: &StoreKey) -> u64 {
        let bytes = key.as_bytes();
        if bytes.len() > 8 * WORDS {
            return self.of_long_keys.hash(bytes);
        }
        let mut sum = self.added.wrapping_add(self.of_length.wrapping_mul(bytes.len() as u128));
        let (words, rest) = bytes.as_chunks::<8>();
        let mut add = |word: u64, secret: &u128| {
            sum = sum.wrapping_add(secret.wrapping_mul(u128::from(word)));
        };
        for (word, secret) in words.iter().zip(&self.of_words) {
            add(u64::from_le_bytes(*word), secret);
        }
        if let Some(secret) = self.of_words.get(words.len()).filter(|_| !rest.is_empty()) {
            add(last_word(bytes, rest), secret);
        }
        scattered((sum >> 64) as u64)
    }
}

/// The bytes behind the last whole word, as a word.
fn last_word(bytes: &[u8], rest: &[u8]) -> u64 {
    match bytes.last_chunk::<8>() {
        Some(last) => u64::from_le_bytes(*last) >> (64 - 8 * rest.len()),
        None => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// Moves the hashes of consecutive keys, which are at equal distances, to places without a pattern. Different numbers stay
/// different, so the probabilities are the same.
fn scattered(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ hash >> 29
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Keys that differ little, as an attacker or a counter makes them.
    fn keys() -> Vec<StoreKey> {
        let mut keys: Vec<Vec<u8>> =
            (0..100_000).map(|key| format!("shop:{{{key}}}:login:c1").into_bytes()).collect();
        keys.extend((0..100_000_u64).map(|key| [key.to_le_bytes(), [0; 8]].concat()));
        keys.extend((0..100_000_u64).map(|key| (key << 40).to_be_bytes().to_vec()));
        keys.extend((0..300).map(|length| vec![0; length]));
        keys.extend((0..300).map(|length| [vec![0; length], vec![1]].concat()));
        keys.iter().map(|key| StoreKey::new(key)).collect()
    }

    #[test]
    fn keys_that_differ_little_do_not_collide() {
        let (keys, hash_key) = (keys(), HashKey::random());
        let different: HashSet<&[u8]> = keys.iter().map(StoreKey::as_bytes).collect();
        let hashes: HashSet<u64> = keys.iter().map(|key| hash_key.hash(key)).collect();
        assert_eq!(hashes.len(), different.len());
    }

    /// Each group of bits that a table uses is as even as random numbers: the sum of squares is within six standard deviations.
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
