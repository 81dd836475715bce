//! The keyed hash of a key. Tables in this process store the hash instead of the key.
//!
//! The hash is computed from the pieces of a key: the prefix, the name, the values (the identities and parts), and the format. So a
//! store that needs only the hash needs no rendered key, and what is known before a call is hashed before the call. The text of a
//! key tells its pieces, so different keys differ in a piece.
//!
//! The pieces are hashed by multilinear hashing (Carter and Wegman 1979; Lemire and Kaser, "Strongly universal string hashing is
//! fast", 2014). Each word of 64 bits is multiplied by its own secret random number of 128 bits. The hash is the upper half of the
//! sum of these products and another secret. A bit after the last byte of a name distinguishes names of different lengths, and the
//! shape of the values ([`Fold`](super::Fold)) distinguishes values. The hash is strongly universal: for any two different keys,
//! the probability that their hashes are equal is 2^-64. For `n` bits of the hash, such as the bits that select a shard, it is
//! 2^-n. The proof assumes only that the secrets are random, and that the keys are chosen without knowledge of the secrets. No
//! hash leaves the process. `SipHash` hashes prefixes, names of more than 135 bytes, and values of more than 24 words, and makes
//! the secrets. Its security is not proven, and it takes three to four times as long.

use crate::limit::Algorithm;
use crate::random;
use siphasher::sip::SipHasher13;
use std::sync::LazyLock;

/// The number of whole 64-bit words in the longest name for which there are secrets.
const NAME_WORDS: usize = 16;

/// The secrets of this process, so that nobody can choose keys that collide.
pub(crate) struct Secrets {
    added: u128,
    of_prefix: u128,
    of_name: [u128; NAME_WORDS + 1],
    of_long_name: u128,
    of_words: [u128; Self::WORDS],
    of_shape: u128,
    of_format: u128,
    of_bytes: SipHasher13,
    of_sums: [SipHasher13; 2],
}

static SECRETS: LazyLock<Secrets> = LazyLock::new(Secrets::random);

#[inline]
pub(crate) fn secrets() -> &'static Secrets {
    &SECRETS
}

fn random_number() -> u128 {
    u128::from(random::bits()) << 64 | u128::from(random::bits())
}

#[inline]
pub(super) fn product(word: u64, secret: u128) -> u128 {
    secret.wrapping_mul(u128::from(word))
}

impl Secrets {
    /// The number of words of values for which there are secrets.
    pub(super) const WORDS: usize = 24;

    fn random() -> Self {
        let sip = || SipHasher13::new_with_keys(random::bits(), random::bits());
        Self {
            added: random_number(),
            of_prefix: random_number(),
            of_name: std::array::from_fn(|_| random_number()),
            of_long_name: random_number(),
            of_words: std::array::from_fn(|_| random_number()),
            of_shape: random_number(),
            of_format: random_number(),
            of_bytes: sip(),
            of_sums: [sip(), sip()],
        }
    }

    /// The sum of a key that has only a prefix.
    pub(crate) fn of_prefix(&self, prefix: &str) -> u128 {
        self.added.wrapping_add(product(self.of_bytes.hash(prefix.as_bytes()), self.of_prefix))
    }

    /// The summand of a name.
    #[inline]
    pub(crate) fn of_name(&self, name: &[u8]) -> u128 {
        if name.len() < 8 {
            return product(1 << (8 * name.len()) | short_word(name), self.of_name[0]);
        }
        self.of_longer_name(name)
    }

    #[inline(never)]
    fn of_longer_name(&self, name: &[u8]) -> u128 {
        let (words, rest) = name.as_chunks::<8>();
        let Some(of_last) = self.of_name.get(words.len()) else {
            return product(self.of_bytes.hash(name), self.of_long_name);
        };
        let mut sum = product(last_word(name, rest.len()), *of_last);
        for (word, secret) in words.iter().zip(&self.of_name) {
            sum = sum.wrapping_add(product(u64::from_le_bytes(*word), *secret));
        }
        sum
    }

    /// The secret of a word of the values.
    #[inline]
    pub(super) fn of_word(&self, at: usize) -> u128 {
        self.of_words[at]
    }

    /// A pseudo-random image of a sum and a shape.
    pub(super) fn compressed(&self, sum: u128, shape: u64) -> u128 {
        let bytes = [&sum.to_le_bytes()[..], &shape.to_le_bytes()].concat();
        let [high, low] = self.of_sums.each_ref().map(|hasher| u128::from(hasher.hash(&bytes)));
        high << 64 | low
    }

    /// The hash of a key with this sum of its prefix, its name and its values, and with this shape of the values.
    #[inline]
    pub(super) fn hash(&self, sum: u128, shape: u64, algorithm: Algorithm) -> u64 {
        let sum = sum.wrapping_add(product(shape, self.of_shape));
        let sum = sum.wrapping_add(product(algorithm as u64, self.of_format));
        scattered((sum >> 64) as u64)
    }

    /// The hash of bytes that are not the key of a limiter.
    #[cold]
    pub(crate) fn of_foreign(&self, key: &[u8]) -> u64 {
        self.of_bytes.hash(key)
    }
}

/// The last `rest` bytes of a name of at least eight bytes, with a set bit after them. `rest` is less than eight.
#[inline]
fn last_word(bytes: &[u8], rest: usize) -> u64 {
    // Shifts twice, because a single shift by 64 bits would overflow.
    let last = bytes.last_chunk::<8>().map_or(0, |last| u64::from_le_bytes(*last) >> 8 >> (56 - 8 * rest));
    1 << (8 * rest) | last
}

/// Reads less than eight bytes as a word, with at most two reads, which may overlap.
#[inline]
pub(crate) fn short_word(bytes: &[u8]) -> u64 {
    let later = |word: u64, size: usize| word << (8 * (bytes.len() - size));
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first)) | later(u32::from_le_bytes(*last).into(), 4)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<2>(), bytes.last_chunk::<2>()) {
        u64::from(u16::from_le_bytes(*first)) | later(u16::from_le_bytes(*last).into(), 2)
    } else {
        bytes.first().copied().map_or(0, u64::from)
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
    use crate::writer::Fold;
    use std::collections::HashSet;

    /// Keys that differ little, such as numbered keys, or keys that an attacker chooses.
    fn keys() -> Vec<Vec<u8>> {
        let mut keys: Vec<Vec<u8>> =
            (0..100_000).map(|key| format!("shop:{{{key}}}:login:c1").into_bytes()).collect();
        keys.extend((0..100_000_u64).map(|key| [key.to_le_bytes(), [0; 8]].concat()));
        keys.extend((0..100_000_u64).map(|key| (key << 40).to_be_bytes().to_vec()));
        keys.extend((0..300).map(|length| vec![0; length]));
        keys.extend((0..300).map(|length| [vec![0; length], vec![1]].concat()));
        keys.extend((0..=u16::MAX).map(|key| [[0; 8].as_slice(), &key.to_le_bytes()].concat()));
        keys
    }

    fn of_value(secrets: &'static Secrets, value: &[u8]) -> u64 {
        let mut fold = Fold::new(secrets, secrets.added);
        fold.bytes(value, false);
        fold.hash(Algorithm::Counter)
    }

    fn new_secrets() -> &'static Secrets {
        Box::leak(Box::new(Secrets::random()))
    }

    #[test]
    fn keys_that_differ_little_do_not_collide() {
        let (keys, secrets) = (keys(), new_secrets());
        let different: HashSet<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let names = keys.iter().map(|key| secrets.hash(secrets.of_name(key), 0, Algorithm::Counter));
        assert_eq!(names.collect::<HashSet<_>>().len(), different.len());
        let values = keys.iter().map(|key| of_value(secrets, key));
        assert_eq!(values.collect::<HashSet<_>>().len(), different.len());
    }

    #[test]
    fn a_short_word_has_all_bytes() {
        for len in 0..8 {
            let bytes: Vec<u8> = (1..=len).collect();
            let expected = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            assert_eq!(short_word(&bytes), expected);
        }
    }

    /// Values are found by their words and by their lengths, however many there are.
    #[test]
    fn each_piece_of_a_key_changes_its_hash() {
        let secrets = new_secrets();
        let hash = |prefix: &str, name: &[u8], values: &[u8], format: Algorithm| {
            let sum = secrets.of_prefix(prefix).wrapping_add(secrets.of_name(name));
            let mut fold = Fold::new(secrets, sum);
            fold.written(values);
            fold.hash(format)
        };
        let (long, many) = ([b'b'; 200], [&b"a,"[..]; 40].concat());
        let counter = Algorithm::Counter;
        let hashes = [
            hash("a", b"b", b"c", counter),
            hash("b", b"b", b"c", counter),
            hash("a", b"a", b"c", counter),
            hash("a", b"b", b"a", counter),
            hash("a", b"c", b"b", counter),
            hash("a", b"b", b"c", Algorithm::TokenBucket),
            hash("a", b"b", b"=c", counter),
            hash("a", b"b", b"c,d", counter),
            hash("a", b"b", b"c=d", counter),
            hash("a", b"b", b"=c=d", counter),
            hash("a", b"b", b"=c,d", counter),
            hash("a", b"b", b"cd", counter),
            hash("a", b"b", b"c\0", counter),
            hash("a", b"b", b"", counter),
            hash("a", b"b", &long, counter),
            hash("a", b"b", &long[1..], counter),
            hash("a", &long, b"c", counter),
            hash("a", b"b", &many, counter),
            hash("a", b"b", &many[2..], counter),
            hash("a", b"b", &[&many, &b"b"[..]].concat(), counter),
            hash("a", b"b", &[&b"=b,"[..], &many].concat(), counter),
        ];
        assert_eq!(hashes.into_iter().collect::<HashSet<_>>().len(), hashes.len());
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
            let secrets = new_secrets();
            let places: [fn(u64) -> usize; 3] = [
                |hash| hash as usize % PLACES,
                |hash| (hash >> 55) as usize,
                |hash| (hash >> 32) as usize % PLACES,
            ];
            for place in places {
                let mut counts = [0_f64; PLACES];
                for key in family {
                    counts[place(of_value(secrets, key))] += 1.0;
                }
                let mean = family.len() as f64 / PLACES as f64;
                let chi_squared: f64 = counts.iter().map(|count| (count - mean).powi(2) / mean).sum();
                let (expected, deviation) = (PLACES as f64 - 1.0, (2.0 * (PLACES as f64 - 1.0)).sqrt());
                assert!(chi_squared < expected + 6.0 * deviation, "{chi_squared}");
            }
        }
    }
}
