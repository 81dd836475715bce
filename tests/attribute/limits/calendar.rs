//! `time = "month"` and `zone`: windows that end with the calendar. The clock of the tests starts on Thursday, 1 January 1970, UTC.

use crate::harness::{RemoteStore, limited, limiter, scoped_with};
use ratelimit::clock::ManualClock;
use ratelimit::overrides::LimitChange;
use ratelimit::per::Calendar;
use ratelimit::{Limit, MemoryStore, RateLimiter, Rejection, rate_limit};
use std::time::Duration;
use support::{DAY, HOUR, MINUTE, SECOND};

limited! {
    #[rate_limit(key = "month", time = "month", zone = "+01:00", count = 2, by = user)] monthly(user: u32);
    #[rate_limit(key = "search", time = "1s", count = 1)]
    #[rate_limit(key = "search", time = "day", count = 2)]
    search();
    #[rate_limit(key = "leased", time = "week", count = 100, lease = 16)] leased();
}

async fn waits<T>(call: impl Future<Output = Result<T, Rejection>>) -> Duration {
    call.await.err().expect("it is refused").retry_after().expect("it may come again")
}

#[tokio::test]
async fn a_month_ends_for_all_callers_at_once() {
    let clock = ManualClock::new();
    scoped_with(&clock, async {
        clock.advance(10 * DAY);
        monthly(1).await.unwrap();
        clock.advance(10 * DAY);
        for user in [1, 2, 2] {
            monthly(user).await.unwrap();
        }
        // February begins one hour earlier in this zone.
        let left = (11 * DAY).saturating_sub(HOUR);
        assert_eq!((waits(monthly(1)).await, waits(monthly(2)).await), (left, left));
        clock.advance(left.saturating_sub(Duration::from_millis(1)));
        assert_eq!(waits(monthly(1)).await, Duration::from_millis(1));
        clock.advance(Duration::from_millis(1));
        for user in [1, 1, 2, 2] {
            monthly(user).await.unwrap();
        }
        assert_eq!(waits(monthly(1)).await, 28 * DAY);
    })
    .await;
}

#[tokio::test]
async fn the_word_tells_two_limits_apart() {
    let clock = ManualClock::new();
    scoped_with(&clock, async {
        search().await.unwrap();
        assert_eq!(search().await.unwrap_err().name(), "search/1s");
        clock.advance(SECOND);
        search().await.unwrap();
        clock.advance(SECOND);
        let rejection = search().await.unwrap_err();
        assert_eq!(
            (rejection.name(), rejection.retry_after()),
            ("search/day", Some(DAY.saturating_sub(2 * SECOND)))
        );
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn leased_units_end_with_the_window() {
    let clock = ManualClock::new();
    clock.advance((4 * DAY).saturating_sub(MINUTE)); // one minute before Monday
    let store = RemoteStore::with_clock(&clock);
    ratelimit::scope(limiter(store.clone()).await, async {
        for _ in 0..100 {
            leased().await.unwrap();
        }
        assert!(waits(leased()).await <= MINUTE);
        clock.advance(MINUTE);
        tokio::time::advance(MINUTE).await;
        for _ in 0..100 {
            leased().await.unwrap();
        }
        assert!(leased().await.is_err());
    })
    .await;
}

#[tokio::test]
async fn an_override_changes_the_window() {
    let clock = ManualClock::new();
    let limiter = RateLimiter::builder().store(MemoryStore::with_clock(clock.clone())).build().unwrap();
    let daily = Limit::calendar(1, Calendar::Day).zone("-01:00");
    limiter.check(&daily, "k").await.unwrap();
    assert_eq!(waits(limiter.check(&daily, "k")).await, HOUR, "until 1:00 UTC");
    limiter.overrides().set("k", LimitChange::new().calendar(Calendar::Month)).await.unwrap();
    clock.advance(HOUR);
    limiter.check(&daily, "k").await.unwrap();
    assert_eq!(waits(limiter.check(&daily, "k")).await, 31 * DAY);
    limiter.overrides().set("k", "time=day zone=+00:00".parse::<LimitChange>().unwrap()).await.unwrap();
    limiter.reset(&daily, "k").await.unwrap();
    limiter.check(&daily, "k").await.unwrap();
    assert_eq!(waits(limiter.check(&daily, "k")).await, 23 * HOUR);
}
