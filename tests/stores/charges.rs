//! Units that come back, are settled, or are taken without asking; and stacks by API. On both stores, the same.

use crate::setup::{SECOND, decision, limiter_on, undecided};
use ratelimit::{Algorithm, ErrorKind, Key, Limit, ManualClock, MemoryStore, RateLimiter, Rejection};
use std::time::Duration;
use support::RedisServer;

const HOUR: Duration = Duration::from_secs(3600);
const MILLISECOND: Duration = Duration::from_millis(1);

/// Every algorithm whose units are spent.
fn limits() -> [Limit; 6] {
    [
        Limit::counter(10, HOUR),
        Limit::token_bucket(10, HOUR),
        Limit::token_bucket(10, HOUR).refill(ratelimit::Refill::Interval),
        Limit::sliding_window(10, HOUR),
        Limit::sliding_log(10, HOUR),
        Limit::leaky_bucket(10, HOUR),
    ]
}

fn leaks_all_the_time(limit: &Limit) -> bool {
    matches!(limit.algorithm(), Algorithm::TokenBucket | Algorithm::LeakyBucket)
        && !limit.to_string().contains("interval")
}

fn key(limit: &Limit) -> String {
    limit.to_string()
}

async fn left(limiter: &RateLimiter, limit: &Limit) -> u32 {
    limiter.peek(limit, key(limit)).await.unwrap().remaining()
}

/// The same on a server and in memory.
async fn on_both(test: impl AsyncFn(RateLimiter)) {
    test(RateLimiter::in_memory()).await;
    let server = RedisServer::start();
    test(limiter_on(&server).build().await.unwrap()).await;
    assert_eq!(server.keys_without_ttl(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_gives_everything_back() {
    on_both(async |limiter| {
        for limit in &limits() {
            let charge = limiter.charge(limit, key(limit), 4).await.unwrap();
            assert_eq!(charge.decision().remaining(), 6, "{limit}");
            drop(limiter.charge(limit, key(limit), 1).await.unwrap());
            assert_eq!(left(&limiter, limit).await, 5, "{limit}: what is dropped stays");
            assert_eq!(charge.refund().await.unwrap(), 4, "{limit}");
            let decision = limiter.peek(limit, key(limit)).await.unwrap();
            if leaks_all_the_time(limit) && decision.remaining() == 8 {
                // What leaks in a millisecond is missing: the stamp has another clock than the TTL.
                assert!(decision.reset_after() <= HOUR / 10 + 2 * MILLISECOND, "{limit}: {decision:?}");
            } else {
                assert_eq!(decision.remaining(), 9, "{limit}");
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_settled_charge_costs_what_it_did() {
    on_both(async |limiter| {
        for limit in &limits() {
            let charge = limiter.charge(limit, key(limit), 4).await.unwrap();
            assert_eq!(charge.settle(1).await.unwrap(), 3, "{limit}");
            assert_eq!(left(&limiter, limit).await, 9, "{limit}");
            let charge = limiter.charge(limit, key(limit), 2).await.unwrap();
            assert_eq!(charge.settle(2).await.unwrap(), 0, "{limit}");
            let charge = limiter.charge(limit, key(limit), 2).await.unwrap();
            assert_eq!(charge.settle(7).await.unwrap(), 5, "{limit}");
            assert_eq!(left(&limiter, limit).await, 0, "{limit}");
            assert!(!decision(limiter.check(limit, key(limit)).await).allowed(), "{limit}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn debt_is_one_capacity_deep_at_most() {
    on_both(async |limiter| {
        for limit in &limits() {
            assert_eq!(limiter.penalize(limit, key(limit), 3).await.unwrap(), 3, "{limit}");
            assert_eq!(left(&limiter, limit).await, 7, "{limit}");
            assert_eq!(limiter.penalize(limit, key(limit), u32::MAX).await.unwrap(), 17, "{limit}");
            assert_eq!(limiter.penalize(limit, key(limit), 1).await.unwrap(), 0, "{limit}");
            let refused = decision(limiter.check(limit, key(limit)).await);
            assert!(!refused.allowed() && refused.retry_after().is_some(), "{limit}: {refused:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_charge_is_void_after_its_window() {
    for limit in &limits() {
        let clock = ManualClock::new();
        let store = MemoryStore::with_clock(clock.clone());
        let limiter = RateLimiter::builder().store(store).build().await.unwrap();
        let charge = limiter.charge(limit, key(limit), 4).await.unwrap();
        clock.advance(2 * HOUR);
        drop(limiter.charge(limit, key(limit), 5).await.unwrap());
        let before = left(&limiter, limit).await;
        assert_eq!(charge.refund().await.unwrap(), 0, "{limit}");
        assert_eq!(left(&limiter, limit).await, before, "{limit}");
    }
}

#[tokio::test]
async fn what_came_back_by_itself_is_not_given_back_twice() {
    let clock = ManualClock::new();
    let limiter = RateLimiter::builder().store(MemoryStore::with_clock(clock.clone())).build().await.unwrap();
    let limit = Limit::token_bucket(1, SECOND).burst(4);
    let first = limiter.charge(&limit, "key", 1).await.unwrap();
    clock.advance(Duration::from_millis(900));
    drop(limiter.charge(&limit, "key", 1).await.unwrap());
    // Of the first token a tenth is still out; the other one is out for a second from there on.
    assert_eq!(first.refund().await.unwrap(), 1);
    let now = limiter.peek(&limit, "key").await.unwrap();
    assert_eq!((now.remaining(), now.reset_after()), (3, SECOND));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stack_is_decided_as_a_whole() {
    on_both(async |limiter| {
        let (few, many) = (Limit::counter(1, HOUR), Limit::counter(100, 24 * HOUR));
        let (hourly, daily) = (Key::new("search/1h").by(7), Key::new("search/1d").by(7));
        let both = [(&few, hourly, 1), (&many, daily, 2)];
        let first = limiter.check_all(&both).await.unwrap();
        assert_eq!([first[0].decision().remaining(), first[1].decision().remaining()], [0, 98]);
        let second = limiter.check_all(&both).await.unwrap_err();
        assert_eq!(second.decision().unwrap().limit(), 1, "{second:?}");
        assert_eq!(limiter.peek(&many, daily).await.unwrap().remaining(), 98, "a refusal takes nothing");
        limiter.check(&many, daily).await.unwrap();
        assert_eq!(limiter.peek(&many, daily).await.unwrap().remaining(), 97, "alone it has the same key");
        assert!(limiter.reset(&few, hourly).await.unwrap());
        assert!(!limiter.reset(&few, hourly).await.unwrap(), "the state is deleted");
        assert!(!limiter.reset(&few, "search").await.unwrap(), "another name has another key");
        limiter.check_all(&both).await.unwrap();
    })
    .await;
}

/// Also where the algorithms differ, because a name is the name of one limit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stack_with_a_key_twice_is_an_error_that_says_what_to_write() {
    on_both(async |limiter| {
        let (one, other) = (Limit::counter(1, HOUR), Limit::token_bucket(100, HOUR));
        let key = Key::new("search").by("secret person");
        for stack in [[(&one, key, 1), (&one, key, 1)], [(&one, key, 1), (&other, key, 1)]] {
            let error = undecided(limiter.check_all(&stack).await);
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.to_string().contains("Key::new(\"search/1s\")"), "{error}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
        assert_eq!(limiter.peek(&one, key).await.unwrap().remaining(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn permits_are_held_and_units_are_spent() {
    on_both(async |limiter| {
        let (permits, units) = (Limit::concurrency(1, SECOND), Limit::counter(1, SECOND));
        let check = undecided(limiter.check(&permits, "key").await);
        assert!(check.to_string().contains("use `permit` instead"), "{check}");
        assert!(limiter.penalize(&permits, "key", 1).await.is_err());
        for rejection in [
            limiter.permit(&units, "key").await.map(drop).unwrap_err(),
            limiter.charge(&permits, "key", 1).await.map(drop).unwrap_err(),
        ] {
            let Rejection::Unavailable(unavailable) = &rejection else { panic!("{rejection:?}") };
            assert_eq!(unavailable.error().kind(), ErrorKind::Configuration);
            assert_eq!(rejection.name(), "key");
        }
        assert_eq!(limiter.peek(&permits, "key").await.unwrap().remaining(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_charge_taken_by_nobody_comes_back_to_nobody() {
    let mut server = RedisServer::builder().persistent().start();
    for (policy, remaining) in [(ratelimit::OnError::Allow, 10), (ratelimit::OnError::Local, 6)] {
        let limiter =
            limiter_on(&server).prefix(format!("{policy:?}")).on_error(policy).build().await.unwrap();
        let limit = Limit::counter(10, HOUR);
        drop(limiter.charge(&limit, "key", 1).await.unwrap());
        server.stop();
        let away = limiter.charge(&limit, "key", 4).await.unwrap();
        assert_eq!(away.decision().remaining(), remaining);
        server.restart();
        let _ = away.refund().await.unwrap();
        assert_eq!(left_when_back(&limiter, &limit).await, 9, "{policy:?}: the server was not charged");
    }
}

async fn left_when_back(limiter: &RateLimiter, limit: &Limit) -> u32 {
    loop {
        if let Ok(decision) = limiter.peek(limit, "key").await {
            return decision.remaining();
        }
        tokio::task::yield_now().await;
    }
}

/// Every method that charges a call rejects it by `?` alone, under the name of its key.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_mark_rejects_what_is_not_admitted() {
    async fn all(limiter: &RateLimiter, limits: [Limit; 4], user: Option<u32>) -> Result<(), Rejection> {
        let [check, acquire, charge, permit] = &limits;
        limiter.check(check, Key::new("check").by(user)).await?;
        limiter.acquire(acquire, Key::new("acquire").by(user)).await?;
        drop(limiter.charge(charge, Key::new("charge").by(user), 1).await?);
        drop(limiter.permit(permit, Key::new("a name that is longer than most names").by(user)).await?);
        Ok(())
    }
    on_both(async |limiter| {
        let (closed, open) = (Limit::counter(0, HOUR), Limit::counter(100, HOUR));
        let (no_permits, permits) = (Limit::concurrency(0, SECOND), Limit::concurrency(100, SECOND));
        all(&limiter, [open, open, open, permits], Some(7)).await.unwrap();
        for (limits, name) in [
            ([closed, open, open, permits], "check"),
            ([open, closed, open, permits], "acquire"),
            ([open, open, closed, permits], "charge"),
            ([open, open, open, no_permits], "a name that is longer than most names"),
        ] {
            let rejection = all(&limiter, limits, Some(7)).await.unwrap_err();
            assert!(matches!(rejection, Rejection::Limited(_)), "{rejection:?}");
            assert_eq!((rejection.name(), rejection.decision().unwrap().allowed()), (name, false));
        }
        let nobody = Key::new("nobody").by(None::<u32>);
        for rejection in [
            limiter.check(&open, nobody).await.unwrap_err(),
            limiter.acquire(&open, nobody).await.unwrap_err(),
            limiter.charge(&open, nobody, 1).await.map(drop).unwrap_err(),
            limiter.permit(&permits, nobody).await.map(drop).unwrap_err(),
            limiter.check_all(&[(&open, nobody, 1)]).await.unwrap_err(),
        ] {
            let Rejection::Unidentified(unidentified) = &rejection else { panic!("{rejection:?}") };
            assert_eq!(unidentified.error().kind(), ErrorKind::NoIdentity);
            assert_eq!((rejection.name(), rejection.retry_after()), ("nobody", None));
        }
        assert_eq!(limiter.peek(&open, nobody).await.unwrap_err().kind(), ErrorKind::NoIdentity);
    })
    .await;
}

/// Of several limits, the rejection names the one that refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rejection_of_several_limits_names_the_one_with_the_longest_wait() {
    on_both(async |limiter| {
        let (open, hour) = (Limit::counter(100, HOUR), Limit::counter(1, HOUR));
        let minute = Limit::counter(1, Duration::from_secs(60));
        let all = [(&open, "open", 1), (&minute, "minute", 1), (&hour, "hour", 1)];
        assert_eq!(limiter.check_all(&all).await.unwrap().len(), 3);
        assert_eq!(limiter.check_all(&all).await.unwrap_err().name(), "hour");
    })
    .await;
}
