//! Measures the time that governor takes to refuse a call.

use crate::cpu::Stopwatch;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::hint::black_box;
use std::num::NonZeroU32;

/// Returns a function that makes `calls` refused calls on one key, and returns the CPU time of each call in ns. In builds
/// without the other crates, `None`.
#[expect(clippy::unnecessary_wraps, reason = "without peers it is `None`")]
pub(crate) fn refused() -> Option<impl Fn(u32) -> f64> {
    let limiter: DefaultKeyedRateLimiter<String> = RateLimiter::keyed(Quota::per_hour(NonZeroU32::MIN));
    let key = "user-81726".to_owned();
    assert!(limiter.check_key(&key).is_ok());
    Some(move |calls| {
        let time = Stopwatch::start();
        for _ in 0..calls {
            assert!(black_box(limiter.check_key(black_box(&key))).is_err());
        }
        time.nanos() / f64::from(calls)
    })
}
