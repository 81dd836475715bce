//! Permits and rejections. The clock is tokio's, which is paused.

use crate::adaptive::Adaptive;
use crate::adaptive::judge::kept;
use crate::answer::{Answer, Answers};
use crate::rejection::Rejection;
use std::future::pending;
use std::time::Duration;
use tokio::time::{advance, timeout};

const MS: Duration = Duration::from_millis(1);

#[test]
fn a_call_passes_while_there_is_room() {
    let limit = Adaptive::new("few", 3);
    let permits: Vec<_> = (0..3).map(|_| limit.admit().unwrap()).collect();
    assert_eq!((limit.in_flight(), limit.limit()), (3, 3));
    assert!(limit.admit().is_err());
    drop(permits);
    assert_eq!(limit.in_flight(), 0);
    assert!(limit.admit().is_ok());
    assert!(Adaptive::new("closed", 0).admit().is_err());
}

#[test]
fn a_refusal_is_a_503_that_exceeds_no_quota() {
    let limit = Adaptive::new("search", 0);
    let rejection = limit.admit().unwrap_err();
    assert!(matches!(rejection, Rejection::Limited(_)));
    assert_eq!((rejection.status(), rejection.name(), rejection.public_name()), (503, "search", "search"));
    assert_eq!(rejection.retry_after(), Some(Duration::from_secs(1)));
    assert_eq!(rejection.to_string(), "temporarily unavailable: try again in 1 second");
    let answer = Answer::of(&rejection, Some(&Answers::problem_json()), Vec::new);
    assert_eq!((answer.status, answer.retry_after), (503, Some(1)));
    assert_eq!(
        String::from_utf8(answer.body).unwrap(),
        "{\"type\":\"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity\",\
         \"title\":\"Request cannot be satisfied due to temporary server capacity constraints\",\"status\":503}"
    );
}

#[test]
fn what_is_kept_for_others_follows_the_limit() {
    assert_eq!(kept(0, 100, 400), 0);
    assert_eq!(kept(48, 400, 400), 48);
    assert_eq!(kept(48, 100, 400), 12);
    assert_eq!(kept(48, 101, 400), 13, "rounded up");
    assert_eq!(kept(48, 12, 400), 4, "at least 4");
    assert_eq!(kept(2, 12, 400), 2, "or as many as were asked for");
    assert_eq!(kept(48, 5, 400), 2, "at most half");
    assert_eq!(kept(u32::MAX, u32::MAX, 1), u32::MAX / 2);
    let limit = Adaptive::new("kept", 8);
    let permits: Vec<_> = (0..4).map(|_| limit.admit_keeping(4).unwrap()).collect();
    assert!(limit.admit_keeping(4).is_err(), "four are left to the important calls");
    let important: Vec<_> = (0..4).map(|_| limit.admit().unwrap()).collect();
    assert!(limit.admit().is_err());
    drop((permits, important));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_leaks_nothing_and_teaches_nothing() {
    let limit = Adaptive::new("dropped", 400);
    for _ in 0..500 {
        let never = limit.run(pending::<()>());
        assert!(timeout(MS, never).await.is_err());
        assert_eq!(limit.in_flight(), 0);
    }
    assert_eq!(limit.limit(), 10, "no latency is known");
    let mut runs = tokio::task::JoinSet::new();
    let limit: &'static Adaptive = Box::leak(Box::new(limit));
    for at in 0..1000 {
        runs.spawn(limit.run(tokio::time::sleep(MS * (at % 7))));
        if at % 3 == 0 {
            runs.abort_all();
        }
        advance(MS / 2).await;
    }
    runs.abort_all();
    while runs.join_next().await.is_some() {}
    assert_eq!(limit.in_flight(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_panic_gives_the_room_back() {
    static LIMIT: Adaptive = Adaptive::new("panics", 4);
    let panics = tokio::spawn(LIMIT.run(async { panic!("for the test") }));
    assert!(panics.await.is_err());
    assert_eq!(LIMIT.in_flight(), 0);
}

/// Runs calls of 10 ms that the closure calls failures or not, and returns the limit after each round.
async fn rounds(limit: &Adaptive, fails: impl Fn(usize) -> bool) -> u32 {
    for round in 0..400 {
        let mut permits = Vec::new();
        while let Ok(permit) = limit.admit() {
            permits.push(permit);
        }
        advance(10 * MS).await;
        for (at, permit) in permits.into_iter().enumerate() {
            if fails(round + at) { permit.failed() } else { permit.succeeded() }
        }
    }
    limit.limit()
}

#[tokio::test(start_paused = true)]
async fn a_limit_grows_while_no_call_waits_and_no_call_fails() {
    assert_eq!(rounds(&Adaptive::new("fast", 100), |_| false).await, 100);
    assert_eq!(rounds(&Adaptive::new("all fail", 100), |_| true).await, 10);
    let failing = Adaptive::new("some fail", 100);
    rounds(&failing, |_| false).await;
    assert_eq!(failing.limit(), 100);
    let some = Adaptive::new("some fail from the start", 100);
    assert!(rounds(&some, |at| at % 4 == 0).await < 30);
    assert_eq!(rounds(&Adaptive::new("few fail", 100), |at| at % 50 == 0).await, 100);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_learned_while_the_limit_is_not_reached() {
    let limit = Adaptive::new("quiet", 100);
    for _ in 0..1000 {
        let permit = limit.admit().unwrap();
        advance(10 * MS).await;
        permit.succeeded();
    }
    assert_eq!(limit.limit(), 10);
}

#[cfg(feature = "axum")]
#[tokio::test(start_paused = true)]
async fn a_body_holds_the_room_until_it_ends() {
    use axum::body::{Body, to_bytes};
    static LIMIT: Adaptive = Adaptive::new("bodies", 4);
    let (sent, cut) = (LIMIT.admit().unwrap(), LIMIT.admit().unwrap());
    let (sent, cut) = (sent.hold(Body::from("body")), cut.hold(Body::from("body")));
    assert_eq!(LIMIT.in_flight(), 2);
    assert_eq!(to_bytes(sent, 10).await.unwrap(), "body");
    assert_eq!(LIMIT.in_flight(), 1);
    drop(cut);
    assert_eq!(LIMIT.in_flight(), 0);
}
