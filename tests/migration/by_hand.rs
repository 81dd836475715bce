//! Limits on Redis that are built by hand: `INCR` and `EXPIRE`, a key for each month, and a list of banned callers.

use crate::{FIVE, seven};
use redis::aio::MultiplexedConnection;
use support::{MINUTE, RedisServer};

/// Starts a server. Returns the server, a connection to it, and a limiter on it.
async fn on_redis() -> (RedisServer, MultiplexedConnection, ratelimit::RateLimiter) {
    let server = RedisServer::start();
    let redis = redis::Client::open(server.url()).unwrap().get_multiplexed_async_connection().await.unwrap();
    let limiter = ratelimit::RateLimiter::builder().redis(server.url()).deadline(MINUTE);
    (server, redis, limiter.connect().await.unwrap())
}

mod before {
    use redis::AsyncCommands;
    use redis::aio::MultiplexedConnection;

    pub(super) async fn may_search(redis: &mut MultiplexedConnection, user: u64) -> redis::RedisResult<bool> {
        let key = format!("search:{user}");
        let count: u32 = redis.incr(&key, 1).await?;
        if count == 1 {
            let _: () = redis.expire(&key, 60).await?;
        }
        Ok(count <= 5)
    }
}

mod after {
    use ratelimit::{Rejection, rate_limit};

    #[rate_limit(key = "search", time = 60, count = 5, by = user)]
    pub(super) async fn search(user: u64) -> Result<String, Rejection> {
        Ok(format!("results of user {user}"))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_admit_five_searches_of_a_user() {
    let (_server, redis, limiter) = on_redis().await;
    assert_eq!(seven(async || before::may_search(&mut redis.clone(), 7).await.unwrap()).await, FIVE);
    assert_eq!(seven(async || ratelimit::scope(limiter.clone(), after::search(7)).await.is_ok()).await, FIVE);
}

/// Tests what the page says about a process that dies between `INCR` and `EXPIRE`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_count_by_hand_that_is_cut_off_never_ends() {
    let (server, mut redis, _) = on_redis().await;
    let first: u32 = redis::cmd("INCR").arg("search:7").query_async(&mut redis).await.unwrap();
    assert_eq!(first, 1); // the process dies here
    assert_eq!(
        seven(async || before::may_search(&mut redis.clone(), 7).await.unwrap())
            .await
            .iter()
            .filter(|passed| **passed)
            .count(),
        4
    );
    assert_eq!(server.keys_without_ttl(), 1, "nobody sets the TTL any more, so the user stays locked out");
}

mod month_before {
    use jiff::{Timestamp, tz::Offset};
    use redis::AsyncCommands;
    use redis::aio::MultiplexedConnection;

    pub(super) async fn may_export(redis: &mut MultiplexedConnection, user: u64) -> redis::RedisResult<bool> {
        let month = Offset::UTC.to_datetime(Timestamp::now()).strftime("%Y-%m");
        let key = format!("exports:{user}:{month}");
        let count: u32 = redis.incr(&key, 1).await?;
        let _: () = redis.expire(&key, 32 * 86_400).await?;
        Ok(count <= 5)
    }
}

mod month_after {
    use ratelimit::{Rejection, rate_limit};

    #[rate_limit(key = "exports", time = "month", count = 5, by = user)]
    pub(super) async fn export(user: u64) -> Result<(), Rejection> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_admit_five_exports_of_a_user() {
    let (_server, redis, limiter) = on_redis().await;
    assert_eq!(seven(async || month_before::may_export(&mut redis.clone(), 7).await.unwrap()).await, FIVE);
    let export = async || ratelimit::scope(limiter.clone(), month_after::export(7)).await.is_ok();
    assert_eq!(seven(export).await, FIVE);
}

mod list_before {
    use redis::AsyncCommands;
    use redis::aio::MultiplexedConnection;

    pub(super) async fn ban(redis: &mut MultiplexedConnection, name: &str) -> redis::RedisResult<()> {
        redis.set_ex(format!("banned:{name}"), 1, 900).await
    }

    pub(super) async fn may_enter(redis: &mut MultiplexedConnection, name: &str) -> redis::RedisResult<bool> {
        Ok(!redis.exists::<_, bool>(format!("banned:{name}")).await?)
    }
}

mod list_after {
    use ratelimit::{Rejection, rate_limit};

    #[rate_limit(key = "login", time = "1m", count = 5, by = name, block = "15m")]
    pub(super) async fn log_in(name: &str) -> Result<(), Rejection> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_ban_a_caller_for_fifteen_minutes() {
    const LOGIN: ratelimit::Limit = ratelimit::Limit::counter(5, std::time::Duration::from_secs(60));
    let (_server, mut redis, limiter) = on_redis().await;
    let log_in = async |name| ratelimit::scope(limiter.clone(), list_after::log_in(name)).await;
    assert!(list_before::may_enter(&mut redis, "ann").await.unwrap() && log_in("ann").await.is_ok());
    list_before::ban(&mut redis, "ann").await.unwrap();
    let fifteen_minutes = std::time::Duration::from_secs(900);
    limiter.block(&LOGIN, ratelimit::Key::new("login").by("ann"), fifteen_minutes).await.unwrap();
    assert!(!list_before::may_enter(&mut redis, "ann").await.unwrap() && log_in("ann").await.is_err());
    assert!(list_before::may_enter(&mut redis, "bob").await.unwrap());
    assert_eq!(seven(async || log_in("bob").await.is_ok()).await, FIVE);
    let retry_after = log_in("bob").await.unwrap_err().retry_after().unwrap();
    assert!(retry_after > std::time::Duration::from_secs(800), "{retry_after:?}");
}
