//! Overrides on both stores that change some numbers of a limit, or that do not fit their limit.

use crate::harness::{limiter_on, on_both};
use ratelimit::overrides::{LimitChange, OverrideEffect};
use ratelimit::{ErrorKind, Key, Limit, RateLimiter, Rejection, rate_limit};
use std::time::{Duration, Instant};
use support::{HOUR, RedisServer, SECOND, take_events};

const LOGIN: Limit = Limit::counter(5, HOUR);
const EXPORTS: Limit = Limit::concurrency(3, HOUR);

fn change(text: &str) -> LimitChange {
    text.parse().unwrap()
}

/// The capacity of the limit with its overrides, and the units that remain.
async fn seen(limiter: &RateLimiter, limit: &Limit, key: &str) -> (u32, u32) {
    let now = limiter.peek(limit, Key::new(key).by("walrus")).await.unwrap();
    (now.capacity(), now.remaining())
}

async fn effects(limiter: &RateLimiter) -> Vec<OverrideEffect> {
    limiter.overrides().list().await.unwrap().iter().map(ratelimit::overrides::Override::effect).collect()
}

fn reason(effects: &[OverrideEffect]) -> &'static str {
    match effects {
        [OverrideEffect::DoesNotFit { reason }] => reason,
        other => panic!("{other:?}"),
    }
}

/// Takes the events of this thread, and returns the warnings about overrides.
fn warnings() -> Vec<String> {
    let events: Vec<String> = take_events().iter().map(ToString::to_string).collect();
    assert!(events.iter().all(|event| !event.contains("walrus")), "{events:?}");
    events.into_iter().filter(|event| event.contains("an override does not fit its limit")).collect()
}

#[tokio::test]
async fn a_number_that_is_not_named_keeps_its_value() {
    on_both(async |limiter| {
        limiter.check(&LOGIN, Key::new("login").by("walrus")).await.unwrap();
        limiter.overrides().set("login", change("count=3")).await.unwrap();
        assert_eq!(seen(&limiter, &LOGIN, "login").await, (3, 2), "the window is that of the code");
        limiter.overrides().set("login", LimitChange::new().count(0)).await.unwrap();
        assert_eq!(seen(&limiter, &LOGIN, "login").await.0, 0);
        limiter.overrides().set(Key::new("login").by("walrus"), change("count=7 wait=1s")).await.unwrap();
        assert_eq!(seen(&limiter, &LOGIN, "login").await, (7, 6), "the override of the key wins as a whole");
        limiter.overrides().remove(Key::new("login").by("walrus")).await.unwrap();
        // An override with a whole limit replaces all numbers.
        limiter.overrides().set("login", Limit::token_bucket(9, SECOND)).await.unwrap();
        assert_eq!(seen(&limiter, &LOGIN, "login").await, (9, 9));
        let stored = limiter.overrides().get("login").await.unwrap().unwrap();
        assert_eq!(stored.to_string(), "token_bucket count=9 time=1s");
    })
    .await;
}

struct Plan {
    limit: Limit,
}

#[rate_limit(key = "plan", limit = plan.limit, by = user)]
async fn by_plan(plan: &Plan, user: u32) -> Result<(), Rejection> {
    Ok(())
}

/// An expression computes the limit of each call from the caller's plan. A change of some numbers applies to the limit of each
/// plan.
#[tokio::test]
async fn a_change_keeps_the_numbers_of_each_plan() {
    on_both(async |limiter| {
        limiter.overrides().set("plan", change("count=2")).await.unwrap();
        let (short, long) = (Plan { limit: LOGIN }, Plan { limit: Limit::counter(5, HOUR * 24) });
        for (user, plan) in [(1, &short), (2, &long)] {
            let retry_after = ratelimit::scope(limiter.clone(), async {
                by_plan(plan, user).await.unwrap();
                by_plan(plan, user).await.unwrap();
                by_plan(plan, user).await.unwrap_err().retry_after().unwrap()
            });
            let retry_after = retry_after.await;
            assert!(
                retry_after <= plan.limit.time() && retry_after > plan.limit.time() / 2,
                "{retry_after:?}"
            );
        }
        assert_eq!(effects(&limiter).await, [OverrideEffect::Applied]);
    })
    .await;
}

#[tokio::test]
async fn an_override_says_whether_it_has_an_effect() {
    on_both(async |limiter| {
        limiter.overrides().set("login", change("count=3")).await.unwrap();
        limiter.overrides().set("logni", change("count=3")).await.unwrap();
        assert_eq!(effects(&limiter).await, [OverrideEffect::NotMet; 2]);
        seen(&limiter, &LOGIN, "login").await;
        assert_eq!(effects(&limiter).await, [OverrideEffect::Applied, OverrideEffect::NotMet]);
        // After an override is changed, its effect is `NotMet` until the next call. The effects of other overrides stay.
        limiter.overrides().set("logni", change("count=4")).await.unwrap();
        assert_eq!(effects(&limiter).await, [OverrideEffect::Applied, OverrideEffect::NotMet]);
        limiter.overrides().set("login", change("count=4")).await.unwrap();
        assert_eq!(effects(&limiter).await, [OverrideEffect::NotMet; 2]);
    })
    .await;
}

#[tokio::test]
async fn what_fits_of_a_change_applies_and_warns_once() {
    let daily = Limit::token_bucket(100, HOUR * 24);
    for (text, limit, applies, why) in [
        ("burst=9", LOGIN, 5, "`burst` needs a bucket"),
        ("count=20000", Limit::sliding_log(5, HOUR), 10_000, "at most 10000"),
        ("count=2 burst=9", LOGIN, 2, "`burst` needs a bucket"),
        ("count=2", daily.burst(1000), 732, "more than 366 days"),
        ("count=1", daily.borrow(500), 366, "more than 366 days"),
        ("concurrency count=1 time=1s", LOGIN, 5, "the override is a concurrency limit"),
        ("concurrency count=0 time=1s", LOGIN, 0, "the override is a concurrency limit"),
        ("counter count=1 time=1s", EXPORTS, 3, "the limit in the code is a concurrency limit"),
    ] {
        on_both(async |limiter| {
            limiter.overrides().set("login", change(text)).await.unwrap();
            let _ = warnings();
            for _ in 0..3 {
                assert_eq!(seen(&limiter, &limit, "login").await.0, applies, "{text}");
            }
            assert!(reason(&effects(&limiter).await).contains(why), "{text}");
            let warnings = warnings();
            assert_eq!(warnings.len(), 1, "{warnings:?}");
            assert!(warnings[0].contains(why) && warnings[0].contains("login"), "{warnings:?}");
        })
        .await;
    }
}

/// After an override, the lease follows the new numbers. Units that were leased under the old numbers are not handed out.
#[tokio::test]
async fn a_tighter_limit_holds_for_units_on_lease() {
    on_both(async |limiter| {
        let limit = Limit::counter(1000, HOUR).lease(500);
        let admitted = async |calls: u32| {
            let mut admitted = 0;
            for _ in 0..calls {
                admitted += u32::from(limiter.check(&limit, "api").await.is_ok());
            }
            admitted
        };
        assert_eq!(admitted(100).await, 100);
        for (text, more) in [("count=105", 5), ("count=120 wait=1s", 15), ("count=5", 0)] {
            limiter.overrides().set("api", change(text)).await.unwrap();
            // During these calls, the limiter returns the units that were on lease.
            let mut passed = admitted(2000).await;
            let until = Instant::now() + Duration::from_secs(20);
            while passed < more && Instant::now() < until {
                tokio::time::sleep(Duration::from_millis(5)).await;
                passed += admitted(10).await;
            }
            assert_eq!((passed, admitted(100).await), (more, 0), "{text}");
            assert_eq!(effects(&limiter).await, [OverrideEffect::Applied], "{text}");
        }
    })
    .await;
}

/// If a change fits only the limits of some plans, it applies only to the calls of these plans.
#[tokio::test]
async fn a_change_applies_to_the_calls_whose_limit_it_fits() {
    on_both(async |limiter| {
        limiter.overrides().set("plan", change("burst=9")).await.unwrap();
        assert_eq!(seen(&limiter, &Limit::token_bucket(5, HOUR), "plan").await.0, 9);
        assert_eq!(seen(&limiter, &LOGIN, "plan").await.0, 5);
        assert_eq!(seen(&limiter, &Limit::token_bucket(5, HOUR), "plan").await.0, 9);
        assert!(reason(&effects(&limiter).await).contains("needs a bucket"));
    })
    .await;
}

#[tokio::test]
async fn setting_a_change_that_cannot_fit_is_an_error() {
    on_both(async |limiter| {
        let set = async |change: LimitChange| {
            let error = limiter.overrides().set(Key::new("login").by("walrus"), change).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Limit);
            assert!(!error.to_string().contains("walrus"), "{error}");
            error.to_string()
        };
        assert!(set(LimitChange::new()).await.contains("changes nothing"));
        assert!(set(LimitChange::new().time(Duration::ZERO)).await.contains("at least 1 ms"));
        assert!(set(LimitChange::from(LOGIN).burst(7)).await.contains("needs a bucket"));
    })
    .await;
}

#[tokio::test]
async fn a_change_is_compared_with_the_limit_that_the_limiter_has_decided() {
    #[rate_limit(key = "compared", limit = limit)]
    async fn compared(limit: Limit) -> Result<(), Rejection> {
        Ok(())
    }
    let (limiter, other) = (RateLimiter::in_memory(), RateLimiter::in_memory());
    let set = async |change: LimitChange| {
        let error = limiter.overrides().set("compared", change).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
        error.to_string()
    };
    ratelimit::scope(limiter.clone(), compared(LOGIN)).await.unwrap();
    assert!(set(change("burst=7")).await.contains("does not fit its limit: `burst` needs a bucket"));
    assert!(set(EXPORTS.into()).await.contains("the override is a concurrency limit"));
    limiter.overrides().set("compared", change("count=7")).await.unwrap();
    assert_eq!(seen(&limiter, &LOGIN, "compared").await.0, 7);
    other.overrides().set("compared", change("burst=7")).await.unwrap();
    // Calls under this name had different limits, so the limiter accepts a change that fits only one of them.
    ratelimit::scope(limiter.clone(), compared(Limit::token_bucket(5, HOUR))).await.unwrap();
    limiter.overrides().set("compared", change("burst=7")).await.unwrap();
}

/// An override for a name changes only the limit with that name, also if the function has several limits.
#[tokio::test]
async fn an_override_changes_one_limit_of_a_function() {
    #[rate_limit(key = "search", time = "1h", count = 3)]
    #[rate_limit(key = "search", time = "1d", count = 50)]
    async fn search() -> Result<(), Rejection> {
        Ok(())
    }
    on_both(async |limiter| {
        limiter.overrides().set("search/1d", change("count=1")).await.unwrap();
        limiter.overrides().set("search", change("count=0")).await.unwrap();
        ratelimit::scope(limiter.clone(), async {
            search().await.unwrap();
            assert_eq!(search().await.unwrap_err().name(), "search/1d");
        })
        .await;
        assert_eq!(effects(&limiter).await, [OverrideEffect::NotMet, OverrideEffect::Applied]);
    })
    .await;
}

#[tokio::test]
async fn a_malformed_change_is_ignored_and_the_others_apply() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).connect().await.unwrap();
    let fields = [
        ("version", "7"),
        ("name:login", "count=3"),
        ("name:a", "count=-3"),
        ("name:b", "count=3 rate=7"),
        ("name:c", "{\"count\": 3}"),
        ("foreign", "count=3"),
    ];
    redis::cmd("HSET").arg("ratelimit:{#}:overrides").arg(&fields).exec(&mut server.raw()).unwrap();
    drop(take_events());
    let list = limiter.overrides().list().await.unwrap();
    let is_readable = |entry: &&ratelimit::overrides::Override| {
        !matches!(entry.effect(), OverrideEffect::Unreadable { .. })
    };
    assert_eq!((list.len(), list.iter().filter(is_readable).count()), (5, 1), "{list:?}");
    assert_eq!(
        take_events().iter().filter(|event| event.to_string().contains("ignoring an override")).count(),
        4
    );
    assert_eq!(seen(&limiter, &LOGIN, "login").await.0, 3);
}
