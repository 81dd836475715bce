//! Random operations on one limit: the script, its Rust twin and the definition agree in every field.

use crate::harness::{Twins, operations, seed};
use crate::models::definitions::{Kind, Numbers};
use crate::models::limits::LIMITS;
use crate::models::random::operations::{By, first_difference};
use crate::models::random::shrink::report;
use crate::models::random::traffic::any_numbers;

/// Compares both stores with the definition, and checks the TTLs of the keys. Uses each limit of this kind, and the same number
/// of random limits.
async fn agree(kind: Kind) {
    let (mut twins, mut random) = (Twins::start(), fastrand::Rng::with_seed(seed()));
    let mut limits: Vec<Numbers> = LIMITS.into_iter().filter(|numbers| numbers.kind == kind).collect();
    limits.extend(std::iter::repeat_with(|| any_numbers(&mut random, kind)).take(limits.len()));
    for (i, numbers) in limits.iter().enumerate() {
        for by in [By::Memory, By::Script] {
            twins.clear();
            let (operations, seed) = (operations(150_000) / limits.len() + 1, seed() + i as u64);
            let make = async |now, steps: &[_]| by.make(&mut twins, now, numbers, steps).await;
            if let Some(past) = first_difference(numbers, operations, seed, false, make).await {
                panic!("{}", report(&mut twins, numbers, by, past).await);
            }
        }
        let (lived, most) = (twins.longest_ttl(), numbers.longest_ttl());
        assert!(lived <= most, "{numbers:?}: a key was to live for {lived} ms, at most {most} are promised");
    }
}

#[test]
fn each_algorithm_has_a_definition_and_a_limit() {
    for algorithm in ratelimit::Algorithm::ALL {
        let limits = LIMITS.iter().filter(|numbers| numbers.limit().algorithm() == algorithm);
        assert!(limits.count() >= 3, "{algorithm:?}");
    }
}

macro_rules! agree {
    ($($name:ident: $kind:ident;)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                agree(Kind::$kind).await;
            }
        )*
    };
}

agree! {
    counters_are_as_defined: Counter;
    greedy_buckets_are_as_defined: Greedy;
    interval_buckets_are_as_defined: Interval;
    leaky_buckets_are_as_defined: Leaky;
    sliding_windows_are_as_defined: Window;
    sliding_logs_are_as_defined: Log;
    permits_are_as_defined: Concurrency;
}
