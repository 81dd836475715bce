//! Every topology makes the same decisions: clusters, sentinels, sockets, both protocol versions, and a connection of the
//! application.

use crate::harness::{PATIENCE, connection_to, decision, limiter_at, undecided};
use ratelimit::{AsKey, Decision, Key, Limit, OnError, RateLimiter, RedisStore};
use support::{Cluster, HOUR, MINUTE, RedisServer, Sentinels};

/// Asserts exact counts for concurrent callers on many keys. Each slot has two keys of each limit.
async fn counts_exactly(limiter: &RateLimiter) {
    const CALLERS: usize = 16;
    let limits =
        [Limit::counter(30, MINUTE), Limit::token_bucket(30, MINUTE * 60), Limit::sliding_log(30, MINUTE)];
    let keys: Vec<(Limit, &str, u32)> = (0..20)
        .flat_map(|user| limits.into_iter().flat_map(move |limit| [(limit, "a", user), (limit, "b", user)]))
        .collect();
    let calls: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (limiter, keys) = (limiter.clone(), keys.clone());
            tokio::spawn(async move {
                let mut admitted = vec![0; keys.len()];
                for _ in 0..3 {
                    for ((limit, name, user), sum) in keys.iter().zip(&mut admitted) {
                        let decision = decision(limiter.check(limit, Key::new(name).by(user)).await);
                        *sum += u32::from(decision.is_allowed());
                    }
                }
                admitted
            })
        })
        .collect();
    let mut admitted = vec![0; keys.len()];
    for call in calls {
        for (sum, more) in admitted.iter_mut().zip(call.await.unwrap()) {
            *sum += more;
        }
    }
    assert_eq!(admitted, vec![30; keys.len()]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_counts_exactly() {
    let cluster = Cluster::start(3);
    for url in [cluster.url(), format!("redis+cluster://127.0.0.1:{}?protocol=resp3", cluster.ports()[5])] {
        let limiter = limiter_at(url).deny_cache(false).connect().await.unwrap();
        counts_exactly(&limiter).await;
        for port in cluster.ports() {
            redis::cmd("FLUSHALL").query::<()>(&mut cluster.server(port).raw()).ok();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stack_on_several_nodes_is_admitted_as_a_whole() {
    let cluster = Cluster::start(3);
    let limiter = limiter_at(cluster.url()).connect().await.unwrap();
    let (few, many) = (Limit::counter(3, MINUTE), Limit::token_bucket(100, MINUTE * 60));
    for user in 0..30_u32 {
        let (one, other) = (Key::new("few").by(user), Key::new("many").by(("tenant", user)));
        for n in 0..5 {
            let keys: [(&Limit, &dyn AsKey, u32); 2] = [(&few, &one, 1), (&many, &other, 1)];
            match limiter.check_all(&keys).await {
                Ok(_) => assert!(n < 3, "{user} {n}"),
                Err(rejection) => assert!(n >= 3 && rejection.name() == "few", "{user} {n}: {rejection:?}"),
            }
        }
        assert_eq!(
            limiter.peek(&many, other).await.unwrap().remaining(),
            97,
            "units of refused calls are returned"
        );
        assert!(limiter.reset(&few, one).await.unwrap());
        assert!(!limiter.reset(&few, one).await.unwrap());
        assert_eq!(limiter.peek(&few, one).await.unwrap().remaining(), 3);
    }
    let held = Limit::concurrency(2, MINUTE);
    let permits =
        [limiter.permit(&held, "jobs").await.unwrap(), limiter.permit(&held, "jobs").await.unwrap()];
    assert!(limiter.permit(&held, "jobs").await.is_err());
    drop(permits);
    limiter.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_limit_that_has_refused_blocks_its_caller_on_any_slot() {
    let cluster = Cluster::start(3);
    let limiter = limiter_at(cluster.url()).deny_cache(false).connect().await.unwrap();
    let (address, user) =
        (Limit::counter(1, MINUTE).block(&[HOUR]), Limit::counter(2, MINUTE).block(&[HOUR]));
    for caller in 0..10_u32 {
        let (one, other) = (Key::new("address").by(caller), Key::new("user").by(("tenant", caller)));
        let keys: [(&Limit, &dyn AsKey, u32); 2] = [(&address, &one, 1), (&user, &other, 1)];
        limiter.check_all(&keys).await.unwrap();
        // At this point, only the first limit is used up.
        limiter.check_all(&keys).await.unwrap_err();
        let is_blocked = |peeked: Decision| peeked.retry_after().is_some_and(|time| time > MINUTE);
        assert!(is_blocked(limiter.peek(&address, one).await.unwrap()), "{caller}");
        assert_eq!(limiter.peek(&user, other).await.unwrap().remaining(), 1, "{caller}");
        // From here on, both limits are used up.
        limiter.check(&user, other).await.unwrap();
        limiter.check_all(&keys).await.unwrap_err();
        assert!(is_blocked(limiter.peek(&user, other).await.unwrap()), "{caller}");
    }
    limiter.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sentinels_lead_to_the_primary() {
    let sentinels = Sentinels::with_passwords("sesame", "open");
    let hosts = sentinels.url().replace("redis+sentinel://", "");
    let url = format!("redis+sentinel://:sesame@{hosts}?sentinel_pass=open");
    let limiter = limiter_at(&url).deny_cache(false).connect().await.unwrap();
    counts_exactly(&limiter).await;
    for (url, says) in [
        (format!("redis+sentinel://:sesame@{hosts}"), "the sentinels require"),
        (format!("redis+sentinel://:wrong@{hosts}?sentinel_pass=open"), "the user or the password is wrong"),
        (url.replace("/mymaster", "/other"), "does not monitor a primary named `other`"),
    ] {
        let error = limiter_at(url).connect().await.unwrap_err().to_string();
        assert!(error.contains(says) && !error.contains("sesame") && !error.contains("open"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_and_a_database_number() {
    let place = std::env::temp_dir().join(format!("ratelimit-{}.sock", std::process::id()));
    let server = RedisServer::builder().args(["--unixsocket", place.to_str().unwrap()]).start();
    for scheme in ["unix", "redis+unix"] {
        let limiter = limiter_at(format!("{scheme}://{}?db=2", place.display())).connect().await.unwrap();
        limiter.check(&Limit::counter(2, MINUTE), "calls").await.unwrap();
    }
    let limiter =
        limiter_at(format!("{}3?protocol=resp3", server.url())).deny_cache(false).connect().await.unwrap();
    counts_exactly(&limiter).await;
    let mut raw = server.raw();
    let mut states_in = |database: u8| {
        let _: () = redis::cmd("SELECT").arg(database).query(&mut raw).unwrap();
        let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut raw).unwrap();
        keys.iter().filter(|key| !key.ends_with(":{#}:limits")).count()
    };
    assert_eq!([0, 2, 3].map(&mut states_in), [0, 1, 120]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_existing_connection() {
    let mut server = RedisServer::builder().persistent().start();
    let connection = connection_to(&server.url()).await.unwrap();
    let limiter = RateLimiter::builder().store(RedisStore::from_connection(connection));
    let limiter =
        limiter.deadline(PATIENCE).on_error(OnError::Deny).deny_cache(false).connect().await.unwrap();
    counts_exactly(&limiter).await;
    server.kill();
    server.restart();
    // The connection of the application does not reconnect, and no call waits for it.
    for _ in 0..20 {
        let error = undecided(limiter.check(&Limit::counter(2, MINUTE), "calls").await);
        assert!(error.is_transient(), "{error}");
    }
}
