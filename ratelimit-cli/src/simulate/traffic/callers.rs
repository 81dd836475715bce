//! Callers: the identities of traffic, and the random choice of one for each simulated call.

use crate::simulate::hash::IdentityHash;
use crate::simulate::numbers::index;
use fastrand::Rng;
use std::borrow::Cow;

/// The maximum number of identities of simulated traffic.
pub(crate) const MOST_CALLERS: u32 = 1_000_000;

/// The identities of traffic.
#[derive(Debug)]
pub(crate) enum Callers {
    /// Simulated identities have numbers. The first one is the busiest.
    Numbered(u32),
    /// The identities of a log, in the order of their first calls.
    Named(Vec<Box<[u8]>>),
}

impl Callers {
    pub(crate) fn count(&self) -> u64 {
        match self {
            Self::Numbered(callers) => u64::from(*callers),
            Self::Named(names) => names.len() as u64,
        }
    }

    /// The identity of a caller as a key contains it.
    pub(crate) fn identity(&self, caller: u32) -> Cow<'_, [u8]> {
        match self {
            Self::Numbered(_) => format!("caller-{}", u64::from(caller) + 1).into_bytes().into(),
            Self::Named(names) => match names.get(index(u64::from(caller))) {
                Some(name) => Cow::Borrowed(name),
                None => Cow::Borrowed(b""),
            },
        }
    }

    /// The name of a caller in reports: its identity, or a hash of it.
    pub(crate) fn name(&self, caller: u32, hash: Option<&IdentityHash>) -> String {
        let identity = self.identity(caller);
        hash.map_or_else(|| String::from_utf8_lossy(&identity).into_owned(), |hash| hash.name(&identity))
    }
}

/// Chooses callers at random. The weight of the `n`-th caller is `1 / n^skew`.
pub(crate) struct Skew {
    /// The sum of the weights up to each caller.
    sums: Vec<f64>,
    random: Rng,
}

impl Skew {
    pub(crate) fn new(callers: u32, skew: f64, random: Rng) -> Self {
        let weights = (1..=callers).map(|caller| f64::from(caller).powf(-skew));
        let sums = weights.scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        Self { sums: sums.collect(), random }
    }

    fn choose(&mut self) -> u32 {
        let all = self.sums.last().copied().unwrap_or_default();
        let chosen = self.random.f64() * all;
        let at = self.sums.partition_point(|sum| *sum <= chosen).min(self.sums.len().saturating_sub(1));
        u32::try_from(at).unwrap_or_default()
    }
}

impl Iterator for Skew {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        Some(self.choose())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls_of_each(skew: f64) -> Vec<usize> {
        let chosen: Vec<u32> = Skew::new(4, skew, Rng::with_seed(7)).take(10_000).collect();
        (0..4).map(|caller| chosen.iter().filter(|found| **found == caller).count()).collect()
    }

    #[test]
    fn a_skew_of_one_gives_the_first_caller_twice_the_calls_of_the_second() {
        let calls = calls_of_each(1.0);
        assert!(calls.is_sorted_by(|one, next| one > next), "{calls:?}");
        assert!((calls[0]).abs_diff(2 * calls[1]) < 300, "{calls:?}");
    }

    #[test]
    fn without_a_skew_all_callers_are_equal() {
        let calls = calls_of_each(0.0);
        assert!(calls.iter().all(|calls| calls.abs_diff(2500) < 150), "{calls:?}");
    }

    #[test]
    fn identities_are_numbers_from_one_or_names() {
        assert_eq!(*Callers::Numbered(2).identity(1), *b"caller-2");
        assert_eq!(*Callers::Named(vec![(*b"ann").into()]).identity(0), *b"ann");
    }
}
