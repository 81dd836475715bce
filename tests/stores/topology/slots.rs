//! Slots: limits of different identities are on different slots and are decided one after another.

use crate::harness::{cluster_of_one, limiter_on_slots};
use ratelimit::{Key, Limit, RateLimiter};
use support::MINUTE;

async fn left(limiter: &RateLimiter, limit: &Limit, key: impl ratelimit::AsKey) -> u32 {
    limiter.peek(limit, key).await.unwrap().remaining()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stack_over_several_slots_is_refused_as_a_whole() {
    let server = cluster_of_one();
    let limiter = limiter_on_slots(&server).connect().await.unwrap();
    let (user, tenant, everybody) =
        (Limit::counter(5, MINUTE), Limit::token_bucket(10, MINUTE), Limit::sliding_window(3, 2 * MINUTE));
    let (by_user, by_tenant, global) =
        (Key::new("search").by(("user", 7)), Key::new("search").by(("tenant", 1)), Key::new("search"));
    let keys: [(&Limit, &dyn ratelimit::AsKey, u32); 3] =
        [(&everybody, &global, 1), (&user, &by_user, 1), (&tenant, &by_tenant, 2)];
    for n in 1..=3 {
        let admitted = limiter.check_all(&keys).await.unwrap();
        assert_eq!(admitted.len(), keys.len());
        assert_eq!(admitted[0].decision().remaining(), 3 - n, "in the order in which they were written");
    }
    let refused = limiter.check_all(&keys).await.unwrap_err();
    assert_eq!(refused.decision().unwrap().capacity(), 3, "{refused:?}");
    // The charges before the refusal were returned.
    assert_eq!(left(&limiter, &user, by_user).await, 2);
    assert!(left(&limiter, &tenant, by_tenant).await >= 4);
    assert_eq!(server.keys_without_ttl(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_of_one_identity_share_one_script_call() {
    let server = cluster_of_one();
    let limiter = limiter_on_slots(&server).connect().await.unwrap();
    let (few, many) = (Limit::counter(2, MINUTE), Limit::counter(9, 2 * MINUTE));
    let (one, other) = (Key::new("few").by(7), Key::new("many").by(7));
    for _ in 0..3 {
        let _ = limiter.check_all(&[(&few, &one, 1), (&many, &other, 1)]).await;
    }
    assert_eq!(left(&limiter, &many, other).await, 7);
    let info: String = redis::cmd("INFO").arg("commandstats").query(&mut server.raw()).unwrap();
    let calls = |command: &str| -> u32 {
        let line = info.lines().find(|line| line.starts_with(&format!("cmdstat_{command}:calls=")));
        line.and_then(|line| line.split(['=', ',']).nth(1)).map_or(0, |calls| calls.parse().unwrap())
    };
    // The calls are one build, three stacks and one peek. At most three more send a script as text.
    assert!(calls("evalsha") + calls("eval") <= 1 + 3 + 1 + 3, "{info}");
}
