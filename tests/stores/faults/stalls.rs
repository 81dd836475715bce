//! A stalled runtime is not a slow server: replies that have arrived are read before a deadline is judged.

use super::unreliable_server::DEADLINE;
use crate::harness::{HUGE, Suspended, failure, limiter_at, runtime, soon, undecided};
use ratelimit::{ErrorKind, Key, RateLimiter};
use std::thread;
use support::{RedisServer, SECOND};
use tokio::runtime::Builder;
use tokio::task::{JoinSet, yield_now};

const CALLERS: usize = 32;

/// Blocks the thread of the runtime for longer than the deadline, after requests were sent. Returns how many of them the server
/// did not decide, and the server.
async fn undecided_in_stalls(limiter: RateLimiter, server: RedisServer) -> (usize, RedisServer) {
    let mut missed = 0;
    for _ in 0..3 {
        let mut calls = JoinSet::new();
        let suspended = Suspended::new(&server);
        for number in 0..CALLERS {
            let limiter = limiter.clone();
            calls.spawn(async move { limiter.check(&HUGE, Key::new("k").by(number)).await.is_err() });
        }
        // All calls are sent, and no reply arrives before the stall.
        for _ in 0..100 {
            yield_now().await;
        }
        drop(suspended);
        thread::sleep(SECOND + SECOND / 5);
        missed += calls.join_all().await.into_iter().filter(|failed| *failed).count();
    }
    (missed, server)
}

#[test]
fn a_stalled_runtime_misses_no_reply() {
    let with_threads = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for runtime in [runtime(), with_threads] {
        let server = RedisServer::start();
        runtime.block_on(async {
            // The policy is *deny*, so a call that the server has not decided fails.
            let limiter = limiter_at(server.url()).deadline(SECOND).connect().await.unwrap();
            limiter.check(&HUGE, "calls").await.unwrap();
            let stalled = tokio::spawn(undecided_in_stalls(limiter.clone(), server));
            let (missed, _server) = stalled.await.unwrap();
            assert_eq!(missed, 0);
            assert_eq!(failure(limiter.check(&HUGE, "calls").await), None, "the breaker is open");
        });
    }
}

#[test]
fn a_silent_server_is_noticed_in_spite_of_stalls() {
    let server = RedisServer::start();
    runtime().block_on(async {
        let limiter = limiter_at(server.url()).deadline(DEADLINE).connect().await.unwrap();
        limiter.check(&HUGE, "calls").await.unwrap();
        let suspended = Suspended::new(&server);
        let call = tokio::spawn({
            let limiter = limiter.clone();
            async move { undecided(limiter.check(&HUGE, "calls").await).kind() }
        });
        yield_now().await;
        thread::sleep(3 * DEADLINE);
        assert_eq!(soon(call).await.unwrap(), ErrorKind::Timeout);
        drop(suspended);
    });
}
