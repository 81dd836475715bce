//! A server that shards: limits of different identities live on different slots, and are decided one after another.

use crate::setup::limiter_on;
use ratelimit::{Key, Limit, RateLimiter, RateLimiterBuilder};
use std::time::{Duration, Instant};
use support::RedisServer;

const MINUTE: Duration = Duration::from_secs(60);

/// A cluster of one node that has all slots.
pub(crate) fn sharded() -> RedisServer {
    let server = RedisServer::builder().args(["--cluster-enabled", "yes"]).start();
    let mut raw = server.raw();
    let slots: Vec<u32> = (0..16_384).collect();
    redis::cmd("CLUSTER").arg("ADDSLOTS").arg(slots).exec(&mut raw).unwrap();
    let start = Instant::now();
    loop {
        let info: String = redis::cmd("CLUSTER").arg("INFO").query(&mut raw).unwrap();
        if info.contains("cluster_state:ok") {
            return server;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{info}");
    }
}

/// A limiter on such a server.
pub(crate) fn limiter_on_slots(server: &RedisServer) -> RateLimiterBuilder {
    limiter_on(server).redis(server.url().replace("redis://", "redis+cluster://"))
}

async fn left(limiter: &RateLimiter, limit: &Limit, key: impl ratelimit::AsKey) -> u32 {
    limiter.peek(limit, key).await.unwrap().remaining()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stack_over_slots_is_refused_as_a_whole() {
    let server = sharded();
    let limiter = limiter_on_slots(&server).build().await.unwrap();
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
    assert_eq!(refused.decision().unwrap().limit(), 3, "{refused:?}");
    // What was charged before the refusal is back.
    assert_eq!(left(&limiter, &user, by_user).await, 2);
    assert!(left(&limiter, &tenant, by_tenant).await >= 4);
    assert_eq!(server.keys_without_ttl(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_of_one_identity_stay_in_one_call() {
    let server = sharded();
    let limiter = limiter_on_slots(&server).build().await.unwrap();
    let (few, many) = (Limit::counter(2, MINUTE), Limit::counter(9, 2 * MINUTE));
    let (one, other) = (Key::new("few").by(7), Key::new("many").by(7));
    for _ in 0..3 {
        let _ = limiter.check_all(&[(&few, one, 1), (&many, other, 1)]).await;
    }
    assert_eq!(left(&limiter, &many, other).await, 7);
    let info: String = redis::cmd("INFO").arg("commandstats").query(&mut server.raw()).unwrap();
    let calls = |command: &str| -> u32 {
        let line = info.lines().find(|line| line.starts_with(&format!("cmdstat_{command}:calls=")));
        line.and_then(|line| line.split(['=', ',']).nth(1)).map_or(0, |calls| calls.parse().unwrap())
    };
    // Building the limiter, three stacks, one look; each script once by text.
    assert!(calls("evalsha") + calls("eval") <= 1 + 3 + 1 + 3, "{info}");
}
