//! `INCR` and `EXPIRE` by hand.

use crate::{FIVE, seven};
use support::RedisServer;

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
    let server = RedisServer::start();
    let redis = redis::Client::open(server.url()).unwrap().get_multiplexed_async_connection().await.unwrap();
    let limiter = ratelimit::RateLimiter::builder().redis(server.url()).connect().await.unwrap();
    assert_eq!(seven(async || before::may_search(&mut redis.clone(), 7).await.unwrap()).await, FIVE);
    assert_eq!(seven(async || ratelimit::scope(limiter.clone(), after::search(7)).await.is_ok()).await, FIVE);
}

/// What the page says of a process that dies between the two commands.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_count_by_hand_that_is_cut_off_never_ends() {
    let server = RedisServer::start();
    let mut redis =
        redis::Client::open(server.url()).unwrap().get_multiplexed_async_connection().await.unwrap();
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
