//! A server that refuses writes: callers whose limits are used up are refused under every failure policy, also by limits with a
//! block, beside calls that would pass, and when they wait for a permit.

use crate::harness::{OnlyDecides, PATIENCE, Refusing, cluster_of_one, limiter_on_slots, script_calls};
use ratelimit::{AsKey, Key, Limit, OnError, RateLimiter, RedisStore, Rejection};
use support::{DAY, HOUR, MINUTE, MS, RedisServer};

const POLICIES: [OnError; 3] = [OnError::Local, OnError::Allow, OnError::Deny];
const PLAIN: Limit = Limit::counter(2, HOUR);
const BLOCKS: Limit = PLAIN.block(&[HOUR, DAY]);
const PERMITS: Limit = Limit::concurrency(2, HOUR);
const WAITS: Limit = PERMITS.wait(MS.saturating_mul(50));

/// A limiter that publishes nothing, so that it writes nothing itself.
fn limiter(server: &RedisServer, policy: OnError, prefix: &str) -> RateLimiter {
    let store = OnlyDecides(RedisStore::new(&server.url()).unwrap());
    let limiter = RateLimiter::builder().store(store).prefix(prefix).deadline(PATIENCE).on_error(policy);
    limiter.deny_cache(false).build().unwrap()
}

fn is_limited<T>(outcome: &Result<T, Rejection>) -> bool {
    matches!(outcome, Err(Rejection::Limited(_)))
}

async fn use_up(limiter: &RateLimiter, limit: &Limit, key: impl AsKey) {
    limiter.check_cost(limit, key, 2).await.unwrap();
}

/// Asserts the outcome of a call that would pass: the policy decides about it.
fn assert_by_policy<T>(policy: OnError, outcome: &Result<T, Rejection>) {
    match policy {
        OnError::Deny => assert!(matches!(outcome, Err(Rejection::Unavailable(_)))),
        _ => assert!(outcome.is_ok(), "{policy:?}"),
    }
}

#[tokio::test]
async fn used_up_callers_stay_refused() {
    let server = RedisServer::start();
    for (fault, policy) in Refusing::ALL.into_iter().flat_map(|fault| POLICIES.map(|policy| (fault, policy)))
    {
        let limiter = limiter(&server, policy, &format!("{fault:?}{policy:?}"));
        use_up(&limiter, &PLAIN, "plain").await;
        use_up(&limiter, &BLOCKS, "blocks").await;
        let held = limiter.permit_cost(&PERMITS, "held", 2).await.unwrap();
        let others = limiter.permit_cost(&WAITS, "waits", 2).await.unwrap();
        if fault.begin(&server) {
            // A call that has waited returns its ticket. A replica's error about this return closes the connection.
            let rounds = if fault == Refusing::Replica { 1 } else { 3 };
            for round in 0..rounds {
                let outcomes = [
                    is_limited(&limiter.check(&PLAIN, "plain").await),
                    is_limited(&limiter.check(&BLOCKS, "blocks").await),
                    is_limited(&limiter.permit(&PERMITS, "held").await),
                    is_limited(&limiter.permit(&WAITS, "waits").await),
                ];
                assert_eq!(outcomes, [true; 4], "{fault:?} {policy:?} {round}");
            }
            assert_by_policy(policy, &limiter.check(&PLAIN, "fresh").await);
        }
        fault.end(&server);
        drop((held, others));
        limiter.close().await;
    }
}

#[tokio::test]
async fn used_up_callers_stay_refused_beside_calls_that_would_pass() {
    const KEYS: u32 = 24;
    let server = RedisServer::start();
    for (fault, policy) in
        Refusing::OF_PRIMARY.into_iter().flat_map(|fault| POLICIES.map(|policy| (fault, policy)))
    {
        let limiter = limiter(&server, policy, &format!("{fault:?}{policy:?}"));
        for key in 0..KEYS {
            use_up(&limiter, &PLAIN, Key::new("used").by(key)).await;
            use_up(&limiter, &BLOCKS, Key::new("blocks").by(key)).await;
        }
        if fault.begin(&server) {
            let before = script_calls(&server);
            let mut calls = tokio::task::JoinSet::new();
            for key in 0..KEYS {
                for (limit, name) in [(PLAIN, "fresh"), (PLAIN, "used"), (BLOCKS, "new"), (BLOCKS, "blocks")]
                {
                    let limiter = limiter.clone();
                    calls.spawn(async move { (name, limiter.check(&limit, Key::new(name).by(key)).await) });
                }
            }
            for (name, outcome) in calls.join_all().await {
                match name {
                    "used" | "blocks" => {
                        assert!(is_limited(&outcome), "{fault:?} {policy:?} {name}: {outcome:?}");
                    }
                    _ => assert_by_policy(policy, &outcome),
                }
            }
            let sent = script_calls(&server) - before;
            assert!(sent <= u64::from(KEYS), "{sent} script calls for {} calls", 4 * KEYS);
        }
        fault.end(&server);
    }
}

#[tokio::test]
async fn a_stack_is_refused_if_one_of_its_limits_is_used_up() {
    let server = cluster_of_one();
    let (short, long) = (Limit::counter(2, MINUTE), PLAIN);
    for policy in POLICIES {
        let on_slots = limiter_on_slots(&server).on_error(policy).prefix(format!("slots{policy:?}"));
        let on_slots = on_slots.deny_cache(false).build().unwrap();
        // With one identity, a script decides the stack. With two, their slots are decided one after another.
        for other in ["ann", "everybody"] {
            let (first, second) = (Key::new("short").by("ann"), Key::new("long").by(other));
            let fresh = Key::new("fresh").by(other);
            use_up(&on_slots, &long, &second).await;
            Refusing::NoMemory.begin(&server);
            let refused = on_slots.check_all(&[(&short, &first, 1), (&long, &second, 1)]).await;
            assert!(is_limited(&refused), "{policy:?} {other}: {refused:?}");
            let undecided = on_slots.check_all(&[(&short, &first, 1), (&long, &fresh, 1)]).await;
            assert_by_policy(policy, &undecided);
            Refusing::NoMemory.end(&server);
            assert_eq!(on_slots.peek(&short, &first).await.unwrap().remaining(), 2, "nothing was charged");
        }
    }
}
