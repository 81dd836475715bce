//! Blocks and pauses in Redis, under a clock that the test moves. Every process respects them. A call that is refused because
//! of a block takes one script call.

use crate::harness::{OnlyDecides, PATIENCE, Twins, script_calls};
use ratelimit::{Key, Limit, RateLimiter, Rejection, rate_limit};
use std::time::Duration;
use support::{HOUR, MINUTE, MS, SECOND};

const LOGIN: Limit = Limit::counter(5, MINUTE);

#[derive(Debug)]
enum Failed {
    Rejected(Box<Rejection>),
    WrongPassword,
}

impl From<Rejection> for Failed {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(Box::new(rejection))
    }
}

#[rate_limit(key = "login", time = "1m", count = 5, by = name, refund_if = Result::is_ok, block = ["1m", "10m", "1h"])]
async fn login(name: &str, is_right: bool) -> Result<(), Failed> {
    if is_right { Ok(()) } else { Err(Failed::WrongPassword) }
}

#[rate_limit(key = "partner", time = "1s", count = 50, pause_if = |answer| answer.as_ref().map_or(None, |later| *later))]
async fn ask_partner(later: Option<Duration>) -> Result<Option<Duration>, Rejection> {
    Ok(later)
}

/// A server whose clock the test moves.
fn server() -> Twins {
    let mut server = Twins::start();
    server.set_clock(1_763_000_000_000_000);
    server
}

/// A limiter of a new process.
fn process(server: &Twins) -> RateLimiter {
    let store = OnlyDecides(server.redis.clone());
    RateLimiter::builder().store(store).deny_cache(false).deadline(PATIENCE).build().unwrap()
}

/// The time for which a login is refused. `None` if it is not refused.
async fn refused(process: &RateLimiter, is_right: bool) -> Option<Duration> {
    match ratelimit::scope(process.clone(), login("ann", is_right)).await {
        Err(Failed::Rejected(rejection)) => Some(rejection.decision().unwrap().retry_after().unwrap()),
        Ok(()) | Err(Failed::WrongPassword) => None,
    }
}

async fn five_wrong_passwords(processes: &[RateLimiter]) {
    for at in 0..5 {
        assert_eq!(refused(&processes[at % processes.len()], false).await, None);
    }
}

#[tokio::test]
async fn five_wrong_passwords_block_in_every_process_for_longer_each_time() {
    let mut server = server();
    let processes = [process(&server), process(&server), process(&server), process(&server)];
    for step in [MINUTE, 10 * MINUTE, HOUR, HOUR] {
        five_wrong_passwords(&processes).await;
        for process in &processes {
            let before = script_calls(&server.server);
            assert_eq!(refused(process, true).await, Some(step));
            assert_eq!(script_calls(&server.server), before + 1);
        }
        server.pass(step.saturating_sub(MS));
        assert_eq!(refused(&processes[1], true).await, Some(MS), "refused calls prolong nothing");
        assert_eq!(refused(&process(&server), true).await, Some(MS), "a restart forgets nothing");
        server.pass(MS);
        assert_eq!(refused(&processes[2], true).await, None);
    }
    server.pass(HOUR.saturating_sub(MS));
    five_wrong_passwords(&processes).await;
    assert_eq!(refused(&processes[0], true).await, Some(HOUR), "a millisecond too early");
    server.pass(2 * HOUR);
    five_wrong_passwords(&processes).await;
    assert_eq!(refused(&processes[0], true).await, Some(MINUTE), "who behaves starts over");
}

#[tokio::test]
async fn a_block_by_hand_holds_in_every_process_until_its_end() {
    let mut server = server();
    let (operator, service) = (process(&server), process(&server));
    let ann = || Key::new("login").by("ann");
    assert_eq!(refused(&service, false).await, None);
    operator.block(&LOGIN, ann(), HOUR).await.unwrap();
    assert_eq!(refused(&service, true).await, Some(HOUR));
    let peeked = service.peek(&LOGIN, ann()).await.unwrap();
    assert_eq!((peeked.remaining(), peeked.retry_after(), peeked.reset_after()), (0, Some(HOUR), HOUR));
    assert!(ratelimit::scope(service.clone(), login("bob", true)).await.is_ok());
    assert!(operator.unblock(&LOGIN, ann()).await.unwrap());
    assert!(!operator.unblock(&LOGIN, ann()).await.unwrap());
    assert_eq!(service.peek(&LOGIN, ann()).await.unwrap().remaining(), 4, "the units in use stay");
    operator.block(&LOGIN, ann(), HOUR).await.unwrap();
    operator.block(&LOGIN, ann(), SECOND).await.unwrap();
    server.pass(SECOND);
    assert_eq!(refused(&service, true).await, None, "the last time counts");
    operator.block(&LOGIN, ann(), HOUR).await.unwrap();
    assert!(operator.reset(&LOGIN, ann()).await.unwrap());
    assert_eq!(refused(&service, true).await, None);
    for time in [Duration::ZERO, 367 * 24 * HOUR] {
        let error = operator.block(&LOGIN, ann(), time).await.unwrap_err();
        assert!(error.to_string().contains("from 1 ms to 366 days"), "{error}");
    }
    let error = operator.block(&Limit::sliding_log(5, MINUTE), ann(), HOUR).await.unwrap_err();
    assert!(error.to_string().contains("has no place for a block"), "{error}");
}

#[tokio::test]
async fn an_answer_pauses_the_limit_of_all_processes() {
    let mut server = server();
    let (one, other) = (process(&server), process(&server));
    let ask =
        async |process: &RateLimiter, later| ratelimit::scope(process.clone(), ask_partner(later)).await;
    ask(&one, Some(30 * SECOND)).await.unwrap();
    let rejection = ask(&other, None).await.unwrap_err();
    assert_eq!(rejection.retry_after(), Some(30 * SECOND));
    server.pass((30 * SECOND).saturating_sub(MS));
    assert_eq!(ask(&one, None).await.unwrap_err().decision().unwrap().retry_after(), Some(MS));
    server.pass(MS);
    ask(&other, None).await.unwrap();
}
