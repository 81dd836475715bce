//! `fair`: callers that share a bucket in equal parts. The limits use a clock that the tests move.

use crate::harness::{limited, scoped_with};
use ratelimit::clock::ManualClock;
use ratelimit::{Cost, ErrorKind, Key, Limit, MemoryStore, RateLimiter, Rejection, rate_limit};
use std::time::Duration;
use support::SECOND;

limited! {
    #[rate_limit(key = "search", time = 1, count = 20, algorithm = "token_bucket", fair = tenant)] search(tenant: u32);
    #[rate_limit(key = "pair", time = 1, count = 20, algorithm = "leaky_bucket", fair = (tenant, kind))]
    pair(tenant: &str, kind: u8);
    #[rate_limit(key = "stacked", time = 1, count = 20, algorithm = "token_bucket", fair = tenant)]
    #[rate_limit(key = "of_tenant", time = 60, count = 900, by = tenant)]
    stacked(tenant: u32);
    #[rate_limit(key = "planned", limit = limit, fair = tenant)] planned(limit: Limit, tenant: u32);
    #[rate_limit(key = "absent", time = 1, count = 20, algorithm = "token_bucket", fair = tenant)] absent(tenant: Option<u32>);
}

/// Lets tenant 1 call every 10 ms and tenant 2 every 100 ms for 20 s. Returns how many calls of each pass.
async fn shares<F: Future<Output = Result<(), Rejection>>>(
    clock: &ManualClock,
    call: impl Fn(u32) -> F,
) -> [u32; 2] {
    let mut passed = [0; 2];
    for tick in 0..2000 {
        passed[0] += u32::from(call(1).await.is_ok());
        if tick % 10 == 9 {
            passed[1] += u32::from(call(2).await.is_ok());
        }
        clock.advance(Duration::from_millis(10));
    }
    passed
}

#[tokio::test]
async fn a_noisy_caller_leaves_the_others_their_part() {
    let clock = ManualClock::new();
    scoped_with(&clock, async {
        for [noisy, quiet] in [
            shares(&clock, search).await,
            shares(&clock, |tenant| pair(if tenant == 1 { "a" } else { "b" }, 7)).await,
            shares(&clock, stacked).await,
            shares(&clock, |tenant| planned(Limit::token_bucket(20, SECOND), tenant)).await,
        ] {
            // The quiet tenant wants 10 of 20 units in each second, which is half, and gets nearly all of them.
            assert!(quiet >= 185, "{quiet} of 200");
            assert!(noisy + quiet >= 398, "{noisy} and {quiet} of 420");
        }
    })
    .await;
}

#[tokio::test]
async fn methods_share_by_the_key() {
    let clock = ManualClock::new();
    let limiter = RateLimiter::builder().store(MemoryStore::with_clock(clock.clone())).build().unwrap();
    let limit = Limit::token_bucket(20, SECOND);
    let call = |tenant| {
        let key = Key::new("search").by("eu").fair(tenant);
        let (limiter, limit) = (limiter.clone(), &limit);
        async move { limiter.check_cost(limit, key, Cost::new(1)).await.map(drop) }
    };
    let [noisy, quiet] = shares(&clock, call).await;
    assert!(quiet >= 185 && noisy + quiet >= 398, "{noisy} and {quiet}");
    // The caller is not part of the key: a key without it has the same units.
    let remaining = |key| limiter.peek(&limit, key);
    let [with, without] = [
        remaining(Key::new("search").by("eu")).await,
        limiter.peek(&limit, Key::new("search").by("eu").fair(1)).await,
    ];
    assert_eq!(with.unwrap().remaining(), without.unwrap().remaining());
}

#[tokio::test]
async fn a_limit_that_cannot_be_shared_is_an_error() {
    let limiter = RateLimiter::in_memory();
    let unfit = Limit::counter(20, SECOND);
    let rejection = limiter.check(&unfit, Key::new("search").fair(7)).await.unwrap_err();
    let Rejection::Unavailable(unavailable) = &rejection else { panic!("{rejection:?}") };
    assert_eq!(unavailable.error().kind(), ErrorKind::Limit);
    let called = ratelimit::scope(limiter.clone(), planned(unfit, 7)).await.unwrap_err();
    assert!(matches!(called, Rejection::Unavailable(_)), "{called:?}");
    let called = ratelimit::scope(limiter, absent(None)).await.unwrap_err();
    assert!(matches!(called, Rejection::Unidentified(_)), "{called:?}");
}
