//! An engine that sends numbers as text, as some do with the floats of Lua 5.4: it has decided, and the reply cannot be read.

use crate::harness::{PATIENCE, undecided};
use ratelimit::{ErrorKind, Key, Limit, OnError, RateLimiter};
use support::{FakeServer, MINUTE};
use tokio::task::JoinSet;

const LIMIT: Limit = Limit::counter(2, MINUTE);

/// A server that replies to script calls with this text.
fn server(reply: &'static str) -> FakeServer {
    FakeServer::start(move |words, _| match words[0].as_str() {
        "EVALSHA" | "EVAL" => format!("${}\r\n{reply}\r\n", reply.len()).into_bytes(),
        "HGET" => b"$-1\r\n".to_vec(),
        _ => b"+OK\r\n".to_vec(),
    })
}

fn limiter(server: &FakeServer, on_error: OnError) -> RateLimiter {
    let limiter = RateLimiter::builder().redis(format!("redis://127.0.0.1:{}", server.port()));
    let limiter = limiter.deadline(PATIENCE).deny_cache(false).on_error(on_error);
    limiter.build().unwrap()
}

#[tokio::test]
async fn the_failure_policy_decides() {
    let server = server("238503.0");
    for (on_error, admitted) in [(OnError::Local, 2), (OnError::Allow, 4), (OnError::Deny, 0)] {
        let limiter = limiter(&server, on_error);
        let mut passed = 0;
        for _ in 0..4 {
            passed += usize::from(limiter.check(&LIMIT, "calls").await.is_ok());
        }
        assert_eq!(passed, admitted, "{on_error:?}");
    }
}

#[tokio::test]
async fn the_error_says_what_was_expected_and_who_finds_the_cause() {
    let server = server("238503.0");
    let limiter = limiter(&server, OnError::Deny);
    let alone = undecided(limiter.check(&LIMIT, "calls").await);
    assert_eq!(alone.kind(), ErrorKind::Unavailable);
    let text = alone.to_string();
    for words in
        ["invalid reply from Redis at", "expected an integer", "may be charged", "`ratelimit doctor`"]
    {
        assert!(text.contains(words), "{text}");
    }
    let mut calls = JoinSet::new();
    for key in 0..20 {
        let limiter = limiter.clone();
        calls.spawn(async move { limiter.check(&LIMIT, Key::new("calls").by(key)).await });
    }
    for rejected in calls.join_all().await {
        assert_eq!(undecided(rejected).kind(), ErrorKind::Unavailable);
    }
}
