//! What a user of the server has to be permitted: no more than `lua/README.md` says.

use crate::setup::{SECOND, decision};
use crate::topologies::limiter_at;
use ratelimit::{ErrorKind, Limit, RateLimiter};
use std::time::Duration;
use support::RedisServer;

const MINUTE: Duration = Duration::from_secs(60);

/// The rules that the documentation shows.
fn documented() -> Vec<String> {
    let text = include_str!("../../lua/README.md");
    let line = text.lines().find(|line| line.contains("ACL SETUSER")).expect("a line with the rules");
    let rules = line.split_whitespace().filter(|rule| rule.starts_with('+'));
    rules.map(str::to_owned).collect()
}

async fn everything(limiter: &RateLimiter) {
    limiter.overrides().set("other", &Limit::counter(7, MINUTE)).await.unwrap();
    assert_eq!(limiter.overrides().list().await.unwrap().len(), 1);
    limiter.overrides().remove("other").await.unwrap();
    for limit in [
        Limit::counter(5, MINUTE),
        Limit::token_bucket(5, MINUTE),
        Limit::sliding_window(5, MINUTE),
        Limit::sliding_log(5, MINUTE),
        Limit::leaky_bucket(5, MINUTE),
    ] {
        for _ in 0..7 {
            let _ = decision(limiter.check(&limit, "calls").await);
        }
        limiter.penalize(&limit, "calls", 1).await.unwrap();
        limiter.reset(&limit, "calls").await.unwrap();
        limiter.charge(&limit, "charged", 2).await.unwrap().refund().await.unwrap();
        limiter.charge(&limit, "charged", 2).await.unwrap().settle(1).await.unwrap();
        limiter.acquire(&limit.wait(SECOND), "waiting").await.unwrap();
    }
    let held = Limit::concurrency(1, MINUTE);
    let permit = limiter.permit(&held, "jobs").await.unwrap();
    assert!(limiter.permit(&held, "jobs").await.is_err());
    drop(permit);
    drop(limiter.permit(&held.wait(SECOND * 20), "jobs").await.unwrap());
    limiter.close().await;
}

async fn limiter_with(server: &RedisServer, rules: &[String]) -> Result<RateLimiter, ratelimit::Error> {
    let mut set = redis::cmd("ACL");
    set.arg("SETUSER").arg("limits").arg(&["reset", "on", ">sesame", "~ratelimit:*"]).arg(rules);
    set.exec(&mut server.raw()).unwrap();
    limiter_at(format!("redis://limits:sesame@127.0.0.1:{}", server.port())).build().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_documented_is_enough() {
    let server = RedisServer::start();
    let rules = documented();
    everything(&limiter_with(&server, &rules).await.unwrap()).await;
    let fewer: Vec<String> = rules.into_iter().filter(|rule| rule != "+evalsha").collect();
    let error = limiter_with(&server, &fewer).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
    assert!(error.to_string().contains("evalsha"), "{error}");
}
