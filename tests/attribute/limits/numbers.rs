//! Numbers that are known when the function is compiled, when it is instantiated, or at the call.

use crate::harness::{Runs, counted, limited, passes_once, scoped, scoped_with, unavailable};
use ratelimit::clock::ManualClock;
use ratelimit::{ErrorKind, Rejection, rate_limit};
use std::time::Duration;
use support::SECOND;

mod settings {
    use std::time::Duration;

    pub(super) const COUNT: u32 = 2;
    pub(super) const TIME: Duration = Duration::from_millis(1500);
}

counted! {
    #[rate_limit(time = settings::TIME, count = settings::COUNT)] constants;
    #[rate_limit(time = "1h30m", count = 1_u32)] words;
    #[rate_limit(time = 1, count = 0x2, algorithm = "token_bucket", burst = 3)] bucket;
    #[rate_limit(time = 1, count = 2, algorithm = "token_bucket", burst = 3, refill = "interval")]
    bucket_by_interval;
    #[rate_limit(count = 5, cost = 3)] costly;
}

limited! {
    #[rate_limit(time = time, count = count, algorithm = "token_bucket", burst = burst + 1, refill = "interval")]
    bucket_at_the_call(time: Duration, count: u32, burst: u32);
    #[rate_limit(time = Duration::from_secs(seconds), count = *count, cost = rows / 10 + 1)]
    expressions(seconds: u64, count: &u32, rows: u32);
    #[rate_limit(time = time, count = 5)] time_at_the_call(time: Duration);
    #[rate_limit(count = 10, cost = items.len())] by_length(items: &[u8]);
    #[rate_limit(count = 10, cost = bytes)] by_bytes(bytes: u64);
    /// Neither branch determines the type of the cost, so the generated code has to.
    #[rate_limit(count = 10, cost = if big { 8 } else { small.into() })] by_size(big: bool, small: u8);
}

#[rate_limit(count = 10, cost = 1, settle = |read| read.as_ref().map_or(0, Vec::len))]
async fn by_result(read: usize) -> Result<Vec<u8>, Rejection> {
    Ok(vec![0; read])
}

trait Plan {
    const COUNT: u32;
    const TIME: Duration = SECOND;
}

struct Gold;

impl Plan for Gold {
    const COUNT: u32 = 2;
}

#[rate_limit(count = P::COUNT, time = <P as Plan>::TIME)]
async fn generic<P: Plan>(runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

#[rate_limit(count = N, algorithm = "token_bucket", burst = B)]
async fn const_generic<const N: u32, const B: u32>(runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

struct Fixed<const N: u32>;

impl<const N: u32> Fixed<N> {
    const TIME: Duration = SECOND;

    #[rate_limit(count = N, time = Self::TIME)]
    async fn method(&self, runs: &Runs) -> Result<u32, Rejection> {
        Ok(runs.add())
    }
}

/// Makes `calls` calls one after another. Returns how many were admitted.
async fn passed<T>(calls: u32, mut call: impl AsyncFnMut() -> Result<T, Rejection>) -> u32 {
    let mut passed = 0;
    for _ in 0..calls {
        passed += u32::from(call().await.is_ok());
    }
    passed
}

#[tokio::test]
async fn known_at_compile_time() {
    let (runs, clock) = (&Runs::default(), ManualClock::new());
    scoped_with(&clock, async {
        assert_eq!(passed(5, async || constants(runs).await).await, 2);
        let refused = constants(runs).await.unwrap_err();
        assert_eq!(refused.retry_after(), Some(settings::TIME));
        clock.advance(settings::TIME);
        assert_eq!(passed(5, async || constants(runs).await).await, 2);
    })
    .await;
    let refused = passes_once(runs, async || words(runs).await).await;
    assert_eq!(refused.retry_after(), Some(Duration::from_secs(5400)));
}

#[tokio::test]
async fn buckets_refill() {
    let (runs, clock) = (&Runs::default(), ManualClock::new());
    scoped_with(&clock, async {
        assert_eq!(passed(5, async || bucket(runs).await).await, 3);
        assert_eq!(passed(5, async || bucket_by_interval(runs).await).await, 3);
        assert_eq!(passed(5, async || bucket_at_the_call(SECOND, 1, 3).await).await, 4);
        clock.advance(SECOND / 2);
        assert_eq!(passed(5, async || bucket(runs).await).await, 1);
        assert_eq!(passed(5, async || bucket_by_interval(runs).await).await, 0);
        clock.advance(SECOND / 2);
        assert_eq!(passed(5, async || bucket_by_interval(runs).await).await, 2);
        assert_eq!(passed(5, async || bucket_at_the_call(SECOND, 1, 3).await).await, 1);
    })
    .await;
}

#[tokio::test]
async fn known_when_a_generic_function_is_instantiated() {
    let runs = &Runs::default();
    scoped(async {
        assert_eq!(passed(5, async || generic::<Gold>(runs).await).await, 2);
        assert_eq!(passed(5, async || const_generic::<1, 4>(runs).await).await, 4);
        assert_eq!(passed(5, async || Fixed::<3>.method(runs).await).await, 3);
    })
    .await;
}

#[tokio::test]
async fn known_at_the_call() {
    scoped(async {
        assert_eq!(passed(5, async || expressions(60, &4, 10).await).await, 2);
    })
    .await;
    scoped(async {
        assert_eq!(passed(5, async || expressions(60, &3, 0).await).await, 3);
    })
    .await;
}

#[tokio::test]
async fn a_count_of_zero_at_run_time_refuses_all_calls() {
    scoped(async {
        let refused = expressions(60, &0, 0).await.unwrap_err();
        assert!(matches!(refused, Rejection::Limited(_)));
        assert_eq!(refused.retry_after(), None);
    })
    .await;
}

#[tokio::test]
async fn a_cost_above_the_limit_is_always_refused() {
    let runs = &Runs::default();
    scoped(async {
        let refused = expressions(60, &4, 40).await.unwrap_err();
        assert!(matches!(refused, Rejection::Limited(_)));
        assert_eq!(refused.retry_after(), None);
        assert_eq!(passed(5, async || costly(runs).await).await, 1);
        assert!(costly(runs).await.unwrap_err().retry_after().is_some());
    })
    .await;
}

#[tokio::test]
async fn a_time_out_of_range_is_an_error() {
    let clock = ManualClock::new();
    scoped_with(&clock, async {
        for (time, says) in [
            (Duration::ZERO, "`time` must be at least 1 ms"),
            (Duration::from_micros(1), "`time` must be a whole number of milliseconds"),
            (Duration::MAX, "`time` must be"),
            (Duration::from_secs(400 * 86_400), "`time` must be at most 366 days"),
        ] {
            let error = unavailable(time_at_the_call(time).await);
            assert_eq!(error.kind(), ErrorKind::Limit);
            assert!(error.to_string().starts_with(says), "{error}");
        }
        time_at_the_call(SECOND).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn every_unsigned_integer_is_a_cost() {
    scoped(async {
        assert!(by_length(&[0; 7]).await.is_ok());
        assert!(by_length(&[0; 4]).await.is_err());
        assert!(by_length(&[0; 3]).await.is_ok());

        assert!(by_bytes(10).await.is_ok());
        let refused = by_bytes(u64::from(u32::MAX) + 2).await.unwrap_err();
        assert_eq!(refused.retry_after(), None, "it is not 1");

        assert!(by_size(true, 0).await.is_ok());
        assert!(by_size(false, 3).await.is_err());
        assert!(by_size(false, 2).await.is_ok());

        assert!(by_result(9).await.is_ok());
        assert!(by_result(1).await.is_ok());
        assert!(by_result(1).await.is_err());
    })
    .await;
}
