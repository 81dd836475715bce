//! Tests of the methods of a limit, of the constructors and their errors, and of the bounds of each number.

use super::rules::State;
use super::rules::bounds::{MAX_BUCKET, MAX_TIME_MS, MAX_WINDOW};
use super::{Algorithm, Calendar, Limit, LimitError, Refill};
use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A plain limit of each algorithm: 6 units in 4 s.
fn each() -> [Limit; Algorithm::ALL.len()] {
    Algorithm::ALL.map(|algorithm| Limit::plain(algorithm, 6, 4 * SECOND).unwrap())
}

#[test]
fn a_limit_has_the_numbers_that_it_was_made_of() {
    for limit in each() {
        assert_eq!((limit.count(), limit.time(), limit.time_ms()), (6, 4 * SECOND, 4000), "{limit}");
        assert_eq!((limit.capacity(), limit.longest_wait(), limit.wait_ms()), (6, Duration::ZERO, 0));
        assert!(!limit.refuses_all() && !limit.is_queue() && !limit.refills_by_interval());
        let waits = limit.wait(ms(1500));
        assert_eq!((waits.longest_wait(), waits.wait_ms()), (ms(1500), 1500));
        assert!(!waits.is_charged_at_once(), "{waits}");
        assert_eq!(limit.is_charged_at_once(), limit.algorithm() != Algorithm::Concurrency);
        assert_eq!(limit.is_concurrency(), limit.algorithm() == Algorithm::Concurrency);
        assert_eq!(waits.is_queue(), limit.algorithm() == Algorithm::LeakyBucket);
    }
    // In 1.5 s, 2.25 units leak at a rate of 6 in 4 s. One more call runs at once.
    assert_eq!(Limit::leaky_bucket(6, 4 * SECOND).wait(ms(1500)).capacity(), 3);
    assert_eq!(Limit::token_bucket(6, SECOND).burst(9).borrow(2).capacity(), 11);
    assert!(Limit::token_bucket(6, SECOND).refill(Refill::Interval).refills_by_interval());
}

#[test]
fn only_a_limit_that_can_hold_something_admits() {
    let refuses = |limit: Result<Limit, LimitError>| limit.unwrap().refuses_all();
    assert!(refuses(Limit::try_counter(0, SECOND)) && refuses(Limit::try_concurrency(0, SECOND)));
    assert!(refuses(Limit::token_bucket(5, SECOND).try_burst(0)));
    assert!(!refuses(Limit::token_bucket(5, SECOND).borrow(1).try_burst(0)));
    assert!(!refuses(Limit::try_sliding_log(1, SECOND)));
}

/// The attribute calls the constructor by the name of its algorithm.
#[test]
fn each_algorithm_has_a_constructor() {
    let constructors = include_str!("constructors.rs");
    for name in Algorithm::ALL.map(Algorithm::as_str) {
        assert!(constructors.contains(&format!("pub const fn {name}(count: u32, ")), "{name}");
        assert!(constructors.contains(&format!("pub const fn try_{name}(count: u32, ")), "{name}");
    }
}

#[test]
fn a_state_follows_the_algorithm() {
    let states =
        [State::Counter, State::Bucket, State::SlidingWindow, State::Log, State::Bucket, State::Permits];
    assert_eq!(each().map(|limit| limit.state()), states);
    for limit in each() {
        let (lists, buckets) = (limit.is_list(), limit.is_bucket());
        assert_eq!(lists, matches!(limit.state(), State::Log | State::Permits), "{limit}");
        assert_eq!(buckets, limit.state() == State::Bucket, "{limit}");
        assert_eq!(limit.has_gate(), !lists, "{limit}");
    }
    let formats: HashSet<&str> = each().iter().map(Limit::state_format).collect();
    assert_eq!(formats.len(), Algorithm::ALL.len());
    assert!(formats.iter().all(|format| !format.is_empty()));
    for limit in each() {
        let any = Limit::any_of(limit.algorithm());
        assert_eq!((any.state(), any.count(), any.time()), (limit.state(), 1, SECOND));
        assert_eq!(any, Limit::plain(limit.algorithm(), 1, SECOND).unwrap());
        let plain = Limit::plain(limit.algorithm(), 1, SECOND).unwrap();
        assert_eq!(
            (any.life_ms(), any.full_ms(), any.rate()),
            (plain.life_ms(), plain.full_ms(), plain.rate())
        );
    }
}

#[test]
fn a_limit_is_as_before_after_its_longest_reset() {
    assert_eq!(each().map(|limit| limit.longest_reset_ms()), [4000, 4000, 8000, 4000, 4000, 4000]);
    assert_eq!(each().map(|limit| limit.full_ms()), [0, 4000, 0, 0, 4000, 0]);
    let bucket = Limit::token_bucket(6, 4 * SECOND).burst(10);
    assert_eq!((bucket.full_ms(), bucket.longest_reset_ms()), (6667, 6667));
    // Two steps of 4 s return the ten units.
    assert_eq!(bucket.refill(Refill::Interval).full_ms(), 8000);
    assert_eq!(Limit::try_token_bucket(0, SECOND).unwrap().full_ms(), 0);
}

/// The life is the largest power of two up to twice the period plus one second, as `lua/token_bucket.lua` documents.
#[test]
fn a_state_lives_for_a_power_of_two() {
    for (limit, life) in [
        (Limit::token_bucket(1, ms(1)), 512),
        (Limit::token_bucket(10, SECOND), 2048),
        (Limit::token_bucket(10, ms(1548)), 4096),
        (Limit::token_bucket(10, ms(1547)), 2048),
        (Limit::token_bucket(10, SECOND).wait(ms(1548)), 4096),
        (Limit::counter(10, SECOND), 512),
    ] {
        assert_eq!(limit.life_ms(), life, "{limit}");
    }
}

#[test]
fn units_come_back_one_by_one_only_from_a_continuous_bucket() {
    let refill = |limit: Limit| limit.refill_time(3);
    assert_eq!(each().map(refill), [0, 2, 0, 0, 2, 0].map(|seconds| seconds * SECOND));
    assert_eq!(refill(Limit::token_bucket(6, 4 * SECOND).refill(Refill::Interval)), Duration::ZERO);
    assert_eq!(Limit::token_bucket(7, SECOND).refill_time(1), Duration::from_nanos(142_857_142));
    assert_eq!(Limit::try_token_bucket(0, SECOND).unwrap().refill_time(2), 2 * SECOND);
    let (bucket, by_interval) =
        (Limit::token_bucket(6, 4 * SECOND), Limit::token_bucket(6, 4 * SECOND).refill(Refill::Interval));
    assert_eq!((bucket.lease_pause(), by_interval.lease_pause()), (ms(100), Duration::ZERO));
    assert_eq!(Limit::counter(6, SECOND).lease_pause(), Duration::ZERO);
    assert_eq!((bucket.units_back_in(2 * SECOND), bucket.units_back_in(ms(1999))), (3, 2));
}

#[test]
fn a_limit_names_the_steps_of_its_block() {
    let steps = [SECOND, 3 * SECOND];
    assert!(Limit::counter(6, SECOND).block(&steps).blocks().eq(steps));
    assert!(!Limit::counter(6, SECOND).block(&steps).block_steps().is_none());
    assert_eq!(Limit::counter(6, SECOND).blocks().count(), 0);
}

#[test]
fn a_limit_knows_its_window_of_the_calendar() {
    let month = Limit::calendar(5, Calendar::Month).zone("+01:00");
    let hour = 3600 * SECOND;
    assert_eq!((month.calendar_window(), month.zone_minutes()), (Some(Calendar::Month), Some(60)));
    assert_eq!((month.time(), month.time_text()), (31 * 24 * hour, "month".to_owned()));
    // In this zone, 1970 began an hour earlier.
    assert_eq!(month.until_window_ends(3 * hour), Some((31 * 24 - 4) * hour));
    assert_eq!(month.at(month.window().unwrap(), 10_800_000).time(), (31 * 24 - 4) * hour);
    let fixed = Limit::counter(5, 90 * SECOND);
    assert_eq!(
        (fixed.calendar_window(), fixed.zone_minutes(), fixed.until_window_ends(hour)),
        (None, None, None)
    );
    assert_eq!(fixed.time_text(), "90s");
}

#[test]
fn only_a_continuous_rate_is_in_lowest_terms() {
    let rate = |limit: Limit| (limit.rate().tokens, limit.rate().period_ms);
    let bucket = Limit::token_bucket(2, 2 * SECOND);
    assert_eq!(rate(bucket), (1, 1000));
    assert_eq!(rate(bucket.refill(Refill::Interval)), (2, 2000));
    assert_eq!(rate(Limit::counter(2, 2 * SECOND)), (2, 2000));
}

#[test]
fn limits_are_equal_if_their_numbers_are() {
    let mut seen = HashSet::new();
    let buckets = [
        Limit::token_bucket(6, SECOND),
        Limit::token_bucket(6, SECOND).burst(7),
        Limit::token_bucket(6, SECOND).borrow(1),
        Limit::token_bucket(6, SECOND).wait(SECOND),
        Limit::token_bucket(6, SECOND).lease(2),
        Limit::token_bucket(6, SECOND).lease_auto(),
        Limit::token_bucket(6, SECOND).refill(Refill::Interval),
        Limit::token_bucket(6, 2 * SECOND),
        Limit::token_bucket(7, SECOND),
        Limit::leaky_bucket(6, SECOND),
    ];
    assert!(buckets.iter().all(|limit| seen.insert(*limit)));
    assert!(buckets[1..].iter().all(|limit| *limit != buckets[0]));
    let hashes: HashSet<u64> =
        buckets.iter().map(|limit| BuildHasherDefault::<DefaultHasher>::default().hash_one(limit)).collect();
    assert_eq!(hashes.len(), buckets.len());
    assert!(buckets.iter().all(|limit| !seen.insert(*limit)));
}

#[test]
fn each_number_has_its_bounds() {
    let day = ms(86_400_000);
    let year = ms(MAX_TIME_MS);
    let is_ok = |limits: &[Result<Limit, LimitError>]| limits.iter().map(Result::is_ok).collect::<Vec<_>>();
    assert_eq!(is_ok(&[Limit::try_counter(1, ms(1)), Limit::try_counter(u32::MAX, year)]), [true, true]);
    assert_eq!(
        is_ok(&[Limit::try_counter(1, Duration::ZERO), Limit::try_counter(1, year + ms(1))]),
        [false, false]
    );
    assert_eq!(is_ok(&[Limit::try_counter(1, Duration::from_micros(1500))]), [false]);
    assert_eq!(
        is_ok(&[Limit::counter(1, day).try_wait(year), Limit::counter(1, day).try_wait(year + ms(1))]),
        [true, false]
    );
    assert_eq!(is_ok(&[Limit::counter(1, day).try_wait(Duration::from_nanos(1))]), [false]);
    let bucket = |count| Limit::try_token_bucket(count, ms(1));
    assert_eq!(is_ok(&[bucket(MAX_BUCKET), bucket(MAX_BUCKET + 1)]), [true, false]);
    let burst = |burst| Limit::token_bucket(MAX_BUCKET, ms(1)).try_burst(burst);
    assert_eq!(is_ok(&[burst(MAX_BUCKET), burst(MAX_BUCKET + 1)]), [true, false]);
    let window = |count| Limit::try_sliding_window(count, ms(1));
    assert_eq!(is_ok(&[window(MAX_WINDOW), window(MAX_WINDOW + 1)]), [true, false]);
    assert_eq!(
        is_ok(&[Limit::try_sliding_log(10_000, day), Limit::try_sliding_log(10_001, day)]),
        [true, false]
    );
    assert_eq!(
        is_ok(&[Limit::try_concurrency(10_000, day), Limit::try_concurrency(10_001, day)]),
        [true, false]
    );
    assert_eq!(
        is_ok(&[Limit::try_concurrency(1, ms(1000)), Limit::try_concurrency(1, ms(999))]),
        [true, false]
    );
    // The largest products that are exact: 4 * count * time stays below 2^53.
    let exact = |time| Limit::try_sliding_window(1 << 20, ms(time));
    assert_eq!(is_ok(&[exact((1 << 31) - 1), exact(1 << 31)]), [true, false]);
    // At one unit per year, a bucket of one unit refills in a year, and a bucket of two units in two years.
    let slow = |burst| Limit::token_bucket(1, year).try_burst(burst);
    assert_eq!(is_ok(&[slow(1), slow(2)]), [true, false]);
    let lease = |units| Limit::counter(9, day).try_lease(units);
    assert_eq!(is_ok(&[lease(0), lease(4), lease(5)]), [true, true, false]);
    assert_eq!(is_ok(&[Limit::try_counter(0, day).unwrap().try_lease(5)]), [true]);
    let queue = |wait| Limit::leaky_bucket((1 << 25) - 1, ms(1)).try_wait(ms(wait));
    assert_eq!(is_ok(&[queue(1), queue(2)]), [true, false]);
}

#[test]
fn a_number_that_is_out_of_range_panics_with_its_error() {
    fn panics(make: impl FnOnce() -> Limit + std::panic::UnwindSafe) -> String {
        let panic = std::panic::catch_unwind(make).unwrap_err();
        panic
            .downcast_ref::<String>()
            .cloned()
            .unwrap_or_else(|| panic.downcast_ref::<&str>().unwrap().to_string())
    }
    assert!(panics(|| Limit::counter(0, SECOND)).contains("`count`"));
    assert!(panics(|| Limit::token_bucket(5, SECOND).burst(0)).contains("`burst`"));
    let error = Limit::try_concurrency(1, ms(1)).unwrap_err();
    assert_eq!(panics(|| Limit::concurrency(1, ms(1))), error.message());
    assert_eq!(
        (error.to_string(), format!("{error:?}")),
        (error.message().to_owned(), error.message().to_owned())
    );
    assert!(error.message().len() > 10);
}
