//! Callers: the identities of traffic, and the random choice of a caller for each simulated call.

use crate::simulate::hash::IdentityHash;
use fastrand::Rng;

/// The maximum number of identities of simulated traffic.
pub(crate) const MOST_CALLERS: u32 = 1_000_000;

/// An identity of traffic, in the form in which a key contains it.
pub(crate) type Caller = Box<[u8]>;

/// Simulated identities with numbers. The first identity makes the most calls.
pub(crate) fn numbered(callers: u32) -> Vec<Caller> {
    (1..=callers).map(|caller| format!("caller-{caller}").into_bytes().into()).collect()
}

/// The name of a caller in reports: its identity, or a hash of it.
pub(crate) fn name(caller: &Caller, hash: Option<&IdentityHash>) -> String {
    hash.map_or_else(|| String::from_utf8_lossy(caller).into_owned(), |hash| hash.name(caller))
}

/// Chooses callers at random, by their positions. The weight of the `n`-th caller is `1 / n^skew`.
pub(crate) fn chosen(callers: u32, skew: f64, mut random: Rng) -> impl Iterator<Item = u32> {
    let weights = (1..=callers).map(|caller| f64::from(caller).powf(-skew));
    let sums = weights.scan(0.0, |sum, weight| {
        *sum += weight;
        Some(*sum)
    });
    let sums: Vec<f64> = sums.collect();
    std::iter::repeat_with(move || {
        let chosen = random.f64() * sums.last().copied().unwrap_or_default();
        let at = sums.partition_point(|sum| *sum <= chosen).min(sums.len().saturating_sub(1));
        u32::try_from(at).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls_of_each(skew: f64) -> Vec<usize> {
        let found: Vec<u32> = chosen(4, skew, Rng::with_seed(7)).take(10_000).collect();
        (0..4).map(|caller| found.iter().filter(|found| **found == caller).count()).collect()
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
    fn simulated_identities_are_numbers_from_one() {
        assert_eq!(numbered(2), [*b"caller-1", *b"caller-2"].map(Caller::from));
        assert_eq!(name(&numbered(2)[1], None), "caller-2");
    }
}
