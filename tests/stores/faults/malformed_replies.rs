//! Servers that send malformed replies: numbers at the limits of `i64`, replies of another shape, and bytes that are no reply.
//! Every call ends with an error, or with a decision that is possible for its limit.

use crate::harness::PATIENCE;
use ratelimit::{Algorithm, Decision, ErrorKind, Key, Limit, OnError, RateLimiter, Rejection};
use std::time::Duration;
use support::{FakeServer, MINUTE};
use tokio::task::JoinSet;

/// A server that replies to every script call with these bytes.
fn serve(reply: Vec<u8>) -> FakeServer {
    FakeServer::start(move |words, _| match words[0].to_ascii_uppercase().as_str() {
        "EVALSHA" | "EVAL" => reply.clone(),
        "PING" => b"+PONG\r\n".to_vec(),
        "HGET" => b"$-1\r\n".to_vec(),
        _ => b"+OK\r\n".to_vec(),
    })
}

fn limits() -> Vec<Limit> {
    let plain = Algorithm::ALL
        .map(|algorithm| format!("{} count=10 time=1m", algorithm.as_str()).parse::<Limit>().unwrap());
    let others = [
        Limit::token_bucket(10, MINUTE).refill(ratelimit::Refill::Interval),
        Limit::counter(1000, MINUTE).lease(100),
        Limit::token_bucket(1000, MINUTE).lease(100),
        Limit::concurrency(10, MINUTE).wait(Duration::from_millis(1)),
    ];
    let wait = |limit: &Limit| limit.try_wait(MINUTE).unwrap();
    let waiting: Vec<Limit> = plain.iter().filter(|limit| !limit.is_concurrency()).map(wait).collect();
    plain.into_iter().chain(others).chain(waiting).collect()
}

/// The outcome of a call: its decision if it has one, or the kind of its error.
type Outcome = Result<Option<Decision>, ErrorKind>;

fn outcome(decided: Result<Decision, Rejection>) -> Outcome {
    match decided {
        Ok(decision) => Ok(Some(decision)),
        Err(Rejection::Limited(limited)) => Ok(Some(limited.decision())),
        Err(Rejection::Unavailable(unavailable)) => Err(unavailable.error().kind()),
        Err(other) => panic!("{other}"),
    }
}

/// Makes a call of one kind: an acquire, a check, a penalty, or a charge and its refund.
async fn call(limiter: &RateLimiter, limit: Limit, key: usize, kind: usize) -> Outcome {
    let key = Key::new("calls").by(key);
    if limit.is_concurrency() {
        return outcome(limiter.permit(&limit, key).await.map(|permit| permit.decision()));
    }
    match kind {
        0 => outcome(limiter.acquire(&limit, key).await.map(|admitted| admitted.decision())),
        1 => outcome(limiter.check(&limit, key).await.map(|admitted| admitted.decision())),
        2 => limiter.penalize(&limit, key, 2).await.map(|_| None).map_err(|error| error.kind()),
        _ => match limiter.charge(&limit, key, 1).await {
            Ok(charge) => {
                let decision = charge.decision();
                charge.refund().await.map(|_| Some(decision)).map_err(|error| error.kind())
            }
            Err(rejection) => outcome(Err(rejection)),
        },
    }
}

/// The outcomes of all kinds of calls on all limits, both single and concurrent calls.
async fn all(reply: &[u8], deadline: Duration) -> Vec<(Limit, Outcome)> {
    let server = serve(reply.to_vec());
    let limiter = RateLimiter::builder().redis(server.url()).on_error(OnError::Deny);
    let limiter = limiter.deadline(deadline).deny_cache(false).build().unwrap();
    let mut all = Vec::new();
    for limit in limits() {
        for (kind, at_once) in [(0, 1), (1, 3), (2, 1), (3, 3)] {
            let mut calls = JoinSet::new();
            for _ in 0..at_once {
                let limiter = limiter.clone();
                // Each concurrent call has its own key.
                let key = all.len();
                calls.spawn(async move { call(&limiter, limit, key, kind).await });
            }
            let answers = tokio::time::timeout(PATIENCE * 3, calls.join_all()).await;
            all.extend(answers.expect("a call hangs").into_iter().map(|outcome| (limit, outcome)));
        }
    }
    all
}

/// A reply of `decide`, which encodes its numbers as doubles.
fn doubles(numbers: &[f64]) -> Vec<u8> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    [format!("${}\r\n", bytes.len()).as_bytes(), &bytes, b"\r\n"].concat()
}

/// Replies in the shapes of the scripts, for one request and for several. The number is in all fields or in some of them.
#[expect(clippy::cast_precision_loss, reason = "a rounded number is out of range, too")]
fn shaped(number: i64) -> Vec<Vec<u8>> {
    let integers = |count: usize| format!("*{count}\r\n{}", format!(":{number}\r\n").repeat(count));
    let one = format!(":{number}\r\n");
    let mut shaped: Vec<Vec<u8>> =
        [one, integers(1), integers(2), integers(3)].map(String::into_bytes).into();
    shaped.extend(shaped_doubles(number as f64));
    shaped
}

fn shaped_doubles(number: f64) -> Vec<Vec<u8>> {
    let records: [&[f64]; 9] = [
        &[number; 4],
        &[0.0, number, 1.0, 1.0],
        &[0.0, 1.0, number, 1.0],
        &[-5.0, 1.0, number, 1.0],
        &[-5.0, number, 1.0, 1.0],
        &[number, 1.0],
        &[1.0, number],
        &[number, 1.0, 1.0],
        &[-5.0, 1.0, number],
    ];
    records.into_iter().flat_map(|record| [doubles(record), doubles(&record.repeat(2))]).collect()
}

#[tokio::test]
async fn doubles_that_are_not_integers_are_errors() {
    for number in [0.5, -0.5, 1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
        for reply in shaped_doubles(number) {
            for (limit, outcome) in all(&reply, PATIENCE).await {
                assert!(matches!(outcome, Err(ErrorKind::Unavailable)), "{limit}: {outcome:?} for {number}");
            }
        }
    }
}

#[tokio::test]
async fn numbers_out_of_range_are_errors() {
    for number in [i64::MIN, i64::MIN + 1, i64::MAX, (1 << 53) + 1, -(1 << 53) - 1] {
        for reply in shaped(number) {
            for (limit, outcome) in all(&reply, PATIENCE).await {
                let shown = String::from_utf8_lossy(&reply);
                let grains = limit.is_bucket();
                match outcome {
                    Err(ErrorKind::Unavailable) => {}
                    // For a single bucket, this number is valid: it is the number of missing grains (`lua/token_bucket.lua`).
                    // After a change of the limit, 2^53 + 1 grains can be missing.
                    Ok(Some(decision)) if grains && number == -(1 << 53) - 1 => {
                        assert!(!decision.is_allowed());
                    }
                    other => panic!("{limit}: {other:?} for {shown:?}"),
                }
            }
        }
    }
}

#[tokio::test]
async fn numbers_in_range_are_plausible_decisions() {
    for number in [-1, 0, 11, 60_001, (1 << 53) - 2, -(1 << 53) + 1] {
        for reply in shaped(number) {
            for (limit, outcome) in all(&reply, PATIENCE).await {
                let decision = match outcome {
                    Err(ErrorKind::Unavailable) | Ok(None) => continue,
                    Ok(Some(decision)) => decision,
                    Err(other) => panic!("{limit}: {other:?} for {number}"),
                };
                assert!(decision.remaining() <= decision.capacity(), "{limit}: {decision:?} of {number}");
                assert!(decision.delay() <= limit.longest_wait(), "{limit}: {decision:?} of {number}");
                assert!(decision.retry_after().is_none_or(|wait| !wait.is_zero()), "{limit}: {decision:?}");
                assert_eq!(decision.capacity(), limit.capacity());
            }
        }
    }
}

#[tokio::test]
async fn other_replies_are_errors() {
    let deep = "*1\r\n".repeat(5000) + ":1\r\n";
    let whole = [
        "$-1\r\n",
        "*-1\r\n",
        "$0\r\n\r\n",
        "*0\r\n",
        ",1.5\r\n",
        "+OK\r\n",
        "#t\r\n",
        "_\r\n",
        "-ERR no\r\n",
    ];
    let broken =
        ["HTTP/1.1 400\r\n\r\n", "$-5\r\n", &deep, "\r\n\r\n", ":1.5\r\n", ":99999999999999999999\r\n"];
    for reply in whole.into_iter().chain(broken) {
        for (limit, outcome) in all(reply.as_bytes(), PATIENCE).await {
            assert!(outcome.is_err(), "{limit}: {outcome:?} for {:?}", &reply[..reply.len().min(50)]);
        }
    }
}

/// The rest of these replies never arrives, so the deadline ends the call.
#[tokio::test]
async fn an_incomplete_reply_is_an_error() {
    for reply in ["$9000000000000\r\nxx", "*2000000000\r\n:1\r\n", ":1", "*3\r\n:1\r\n", "$32\r\n0"] {
        for (limit, outcome) in all(reply.as_bytes(), Duration::from_millis(10)).await {
            assert!(outcome.is_err(), "{limit}: {outcome:?} for {reply:?}");
        }
    }
}
