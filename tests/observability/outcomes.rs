//! Each call has exactly one outcome at each of its limits, and each outcome is counted once.

use crate::recorder::recorded;
use ratelimit::clock::TokioClock;
use ratelimit::observe::Kind;
use ratelimit::{AsKey, ErrorKind, Key, Limit, MemoryStore, OnError, RateLimiter, Rejection, rate_limit};
use support::{HOUR, SECOND, StubStore, limited};

/// Runs a future in the scope of its own limiter. Installs the recorder.
async fn in_memory<F: Future>(future: F) -> F::Output {
    let _ = recorded();
    ratelimit::scope(RateLimiter::in_memory(), future).await
}

#[tokio::test]
async fn methods_count_what_they_admit_and_refuse() {
    let (recorded, limiter) = (recorded(), RateLimiter::in_memory());
    let limit = Limit::counter(5, HOUR);
    for _ in 0..7 {
        let _ = limiter.check(&limit, Key::new("check").by("alice")).await;
        let _ = limiter.acquire(&limit, Key::new("acquire").by("alice")).await;
        let _ = limiter.charge(&limit, Key::new("charge").by("alice"), 1).await.map(drop);
        let _ = limiter.check_all(&[(&limit, &Key::new("all").by("alice"), 1)]).await;
        let _ = limiter.peek(&limit, Key::new("check").by("alice")).await;
    }
    for name in ["check", "acquire", "charge", "all"] {
        assert_eq!(recorded.outcomes(name), "allowed 5, limited 2", "{name}");
        let near = recorded.get(Kind::Counter, "ratelimit.near_limit", &[("ratelimit.limit", name)]);
        assert_eq!(near.whole(), 1, "{name}: after the fourth of five");
    }
}

#[tokio::test]
async fn an_attribute_counts_as_a_method() {
    limited! {
        #[rate_limit(key = "attribute", time = "1h", count = 5)] plain();
        #[rate_limit(key = "attribute that waits", time = "1h", count = 5, algorithm = "leaky_bucket", wait = "1ms")]
        admitted();
        #[rate_limit(key = "attribute with refund", time = "1h", count = 5, refund_if = |result: &Result<(), Rejection>| result.is_err())]
        refunding();
    }

    in_memory(async {
        for _ in 0..7 {
            let _ = (plain().await, admitted().await, refunding().await);
        }
    })
    .await;
    assert_eq!(recorded().outcomes("attribute"), "allowed 5, limited 2");
    assert_eq!(recorded().outcomes("attribute with refund"), "allowed 5, limited 2");
    assert_eq!(
        recorded().outcomes("attribute that waits"),
        "allowed 1, limited 6",
        "the second turn is in 12 minutes"
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_has_waited() {
    let recorded = recorded();
    let store = MemoryStore::with_clock(TokioClock::new());
    let limiter = RateLimiter::builder().store(store).connect().await.unwrap();
    let limit = Limit::leaky_bucket(1, SECOND).wait(10 * SECOND);
    for _ in 0..3 {
        limiter.acquire(&limit, "queue").await.unwrap();
    }
    assert_eq!(recorded.outcomes("queue"), "allowed 1, waited 2");
    let waits = recorded.get(Kind::Histogram, "ratelimit.wait.duration", &[("ratelimit.limit", "queue")]);
    assert_eq!((waits.changes, waits.whole()), (2, 2), "the calls came when the turn before them had come");
}

#[tokio::test]
async fn shadow_limits_and_exempt_calls_have_outcomes_of_their_own() {
    #[rate_limit(key = "trial", time = "1h", count = 2, shadow = true)]
    async fn trial() {}

    limited! {
        #[rate_limit(key = "skipped", time = "1h", count = 2, skip_if = skip)] skipped(skip: bool);
    }

    #[rate_limit(key = "trial nobody", time = "1h", count = 2, by = user, shadow = true)]
    async fn trial_of(user: Option<u64>) {}

    in_memory(async {
        for skip in [true, false, true, false, false] {
            trial().await;
            let _ = skipped(skip).await;
        }
        trial_of(None).await;
    })
    .await;
    assert_eq!(recorded().outcomes("trial nobody/shadow"), "shadow_undecided 1", "the call ran");
    assert_eq!(recorded().outcomes("trial/shadow"), "shadow_allowed 2, shadow_limited 3");
    assert_eq!(recorded().outcomes("trial"), "");
    assert_eq!(recorded().outcomes("skipped"), "allowed 2, exempt 2, limited 1");
}

#[tokio::test]
async fn while_limits_are_off_calls_are_exempt() {
    limited! {
        #[rate_limit(key = "attribute off", time = "1h", count = 1)] off();
    }

    let recorded = recorded();
    let limiter = RateLimiter::builder().off().connect().await.unwrap();
    let (once, gate) = (Limit::counter(1, HOUR), Limit::concurrency(1, HOUR));
    for _ in 0..3 {
        limiter.check(&once, "check off").await.unwrap();
        drop(limiter.permit(&gate, "permit off").await.unwrap());
        ratelimit::scope(limiter.clone(), off()).await.unwrap();
    }
    for name in ["check off", "permit off", "attribute off"] {
        assert_eq!(recorded.outcomes(name), "exempt 3", "{name}");
    }
}

#[tokio::test]
async fn each_failure_policy_has_an_outcome() {
    let recorded = recorded();
    let unavailable = || RateLimiter::builder().store(StubStore::failing(ErrorKind::Unavailable));
    let once = Limit::counter(1, HOUR);
    for (policy, name) in [(OnError::Allow, "allow"), (OnError::Deny, "deny"), (OnError::Local, "local")] {
        let limiter = unavailable().on_error(policy).connect().await.unwrap();
        for _ in 0..3 {
            let _ = limiter.check(&once, name).await;
            let _ = limiter.charge(&once, format!("{name} charge"), 1).await.map(drop);
        }
    }
    for (name, expected) in [
        ("allow", "policy_allowed 3"),
        ("deny", "policy_denied 3"),
        ("local", "local_allowed 1, local_limited 2"),
    ] {
        assert_eq!(recorded.outcomes(name), expected);
        assert_eq!(recorded.outcomes(&format!("{name} charge")), expected);
    }
}

#[tokio::test]
async fn calls_that_cannot_be_decided_are_counted() {
    limited! {
        #[rate_limit(key = "nobody", time = "1h", count = 1, by = user)] nobody(user: Option<u64>);
    }

    let (recorded, limiter) = (recorded(), RateLimiter::in_memory());
    in_memory(async { assert!(nobody(None).await.is_err()) }).await;
    assert!(limiter.check(&Limit::concurrency(1, HOUR), "wrong method").await.is_err());
    let one: (&Limit, &dyn AsKey, u32) = (&Limit::counter(1, HOUR), &"same key", 1);
    assert!(limiter.check_all(&[one, one]).await.is_err());
    let broken =
        RateLimiter::builder().store(StubStore::failing(ErrorKind::Configuration)).connect().await.unwrap();
    assert!(broken.check(&Limit::counter(1, HOUR), "misconfigured").await.is_err());
    assert_eq!(recorded.outcomes("nobody"), "unidentified 1");
    for name in ["wrong method", "same key", "misconfigured"] {
        assert_eq!(recorded.outcomes(name), "failed 1", "{name}");
    }
}

#[test]
fn concurrent_calls_are_counted_exactly() {
    let recorded = recorded();
    let (limiter, limit) = (RateLimiter::in_memory(), Limit::counter(5000, HOUR));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                runtime.block_on(async {
                    for _ in 0..2000 {
                        let _ = limiter.check(&limit, Key::new("concurrent").by("alice")).await;
                    }
                });
            });
        }
    });
    assert_eq!(recorded.outcomes("concurrent"), "allowed 5000, limited 3000");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_before_its_decision_counts_nowhere() {
    let recorded = recorded();
    let limiter = RateLimiter::builder().store(StubStore::silent()).deadline(HOUR).connect().await.unwrap();
    let once = Limit::counter(1, HOUR);
    let call = limiter.check(&once, "cancelled");
    assert!(tokio::time::timeout(SECOND, call).await.is_err());
    let store = MemoryStore::with_clock(TokioClock::new());
    let limiter = RateLimiter::builder().store(store).connect().await.unwrap();
    let limit = Limit::leaky_bucket(1, HOUR).wait(2 * HOUR);
    limiter.acquire(&limit, "cancelled queue").await.unwrap();
    assert!(tokio::time::timeout(SECOND, limiter.acquire(&limit, "cancelled queue")).await.is_err());
    assert_eq!(
        (recorded.outcomes("cancelled"), recorded.outcomes("cancelled queue")),
        (String::new(), "allowed 1".to_owned())
    );
    assert_eq!(recorded.gauge("ratelimit.waiting", "cancelled queue"), 0);
}
