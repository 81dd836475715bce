//! Runs the shutdown of the page about permits in real processes. After SIGTERM, the permit of a response that is still open
//! is returned.

use crate::harness::limiters::until;
use ratelimit::{Key, Limit, RateLimiter};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use support::{MINUTE, RedisServer};

const ONE: Limit = Limit::concurrency(1, MINUTE);

/// The process of an example, which is killed when the test ends.
struct Example(Child);

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Example {
    /// Starts an example on a free port. Returns its URL, which it prints first.
    fn start(name: &str, redis: &RedisServer) -> (Self, String) {
        let mut command = Command::new(support::example(name));
        command.env("RATELIMIT_URL", redis.url()).env("ADDRESS", "127.0.0.1:0").env("GRACE_SECONDS", "1");
        let mut process = Self(command.stdout(Stdio::piped()).spawn().unwrap());
        let mut line = String::new();
        BufReader::new(process.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().rsplit(' ').next().unwrap().to_owned();
        (process, url)
    }

    async fn terminate(&mut self) -> ExitStatus {
        let sent = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status().unwrap();
        assert!(sent.success());
        until("the process ends", async || self.0.try_wait().unwrap()).await
    }
}

async fn returns_the_permit_of_an_open_response(
    example: &str,
    prefix: &str,
    free: impl AsyncFn(&RateLimiter) -> u32,
) {
    let redis = RedisServer::start();
    let limiter =
        RateLimiter::builder().redis(redis.url()).deadline(MINUTE).prefix(prefix).connect().await.unwrap();
    let (mut process, url) = Example::start(example, &redis);
    let request = reqwest::Client::new().get(format!("{url}/export")).header("x-user", "ann");
    let mut export = request.send().await.unwrap();
    assert_eq!(export.status(), 200);
    assert!(export.chunk().await.unwrap().is_some());
    assert_eq!(free(&limiter).await, 0);

    assert!(process.terminate().await.success());
    // `close` has waited for the reply of the Redis server, so the permit is free when the process has ended.
    assert_eq!(free(&limiter).await, 1);
    while let Ok(Some(_)) = export.chunk().await {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn axum() {
    returns_the_permit_of_an_open_response("shop", "shop", async |limiter| {
        limiter.peek(&ONE, Key::new("export").by("ann")).await.unwrap().remaining()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn actix_web() {
    returns_the_permit_of_an_open_response("actix", "ratelimit", async |limiter| {
        limiter.peek(&ONE, "export").await.unwrap().remaining()
    })
    .await;
}
