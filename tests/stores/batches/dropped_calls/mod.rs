//! Drops calls of every kind after each possible number of polls. Afterwards only the units of held permits and admitted calls
//! are in use.

mod kinds;

use crate::harness::{cluster_of_one, limiter_on, limiter_on_slots};
use kinds::KINDS;
use ratelimit::{Key, Limit, OnError, RateLimiter};
use std::future::poll_fn;
use std::ops::RangeInclusive;
use std::pin::Pin;
use std::task::Poll;
use support::{HOUR, SECOND};

const COUNTER: Limit = Limit::counter(100, HOUR);
const OTHER: Limit = Limit::sliding_window(100, HOUR);
const BUCKET: Limit = Limit::token_bucket(100, HOUR);
const QUEUE: Limit = Limit::leaky_bucket(60, HOUR).wait(HOUR);
const PERMITS: Limit = Limit::concurrency(2, HOUR);
const PATIENT: Limit = Limit::concurrency(2, HOUR).wait(HOUR);

type Call = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Polls a call at most `polls` times, each time after it was woken. Returns whether the call was ready, and the number of
/// polls. With `linger`, the call's last request is sent before this function returns.
async fn poll_times(call: &mut Call, polls: usize, linger: bool) -> (bool, usize) {
    let mut left = polls;
    let polled = poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(false);
        }
        left -= 1;
        match call.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(true),
            Poll::Pending if left == 0 => Poll::Ready(false),
            Poll::Pending => Poll::Pending,
        }
    });
    // A call that waits for a turn is not woken again. On a busy machine, the reply may also take longer. After this time, the
    // call is not polled again.
    let is_ready = tokio::select! {
        biased;
        () = tokio::time::sleep(SECOND / 5) => false,
        is_ready = polled => is_ready,
    };
    if linger {
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
    }
    (is_ready, polls - left)
}

/// A limiter, and whether its store is remote.
struct Place {
    limiter: RateLimiter,
    is_far: bool,
}

/// A kind of call to drop. Each call has its own key.
struct Kind {
    name: &'static str,
    limit: Limit,
    /// The units in use before the call.
    before: u32,
    call: fn(RateLimiter, u32) -> Call,
    /// The units that may be in use after the call was dropped or has ended.
    after: fn(Dropped) -> RangeInclusive<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Dropped {
    polls: usize,
    is_ready: bool,
    is_far: bool,
}

impl Dropped {
    /// Whether the call was dropped before it sent a request to the store.
    fn before_the_question(self) -> bool {
        self.polls == 0
    }

    /// Whether the call may have sent a request, but was dropped before the reply arrived.
    fn before_the_answer(self) -> bool {
        !self.is_ready && self.is_far && self.polls == 1
    }
}

fn key(number: u32) -> Key<'static, ((), u32)> {
    Key::new("dropped").by(number)
}

/// The key of another limit in the same stack.
fn other_key(number: u32) -> Key<'static, ((), u32)> {
    Key::new("other").by(number)
}

/// Takes the units that must be in use before the call. Returns the held permits.
async fn prepare(limiter: &RateLimiter, kind: &Kind, number: u32) -> Vec<ratelimit::Permit> {
    let mut held = Vec::new();
    for _ in 0..kind.before {
        if kind.limit.is_concurrency() {
            held.push(limiter.permit(&kind.limit, key(number)).await.unwrap());
        } else {
            limiter.acquire(&kind.limit, key(number)).await.unwrap();
        }
    }
    held
}

async fn used(limiter: &RateLimiter, kind: &Kind, number: u32) -> u32 {
    let now = limiter.peek(&kind.limit, key(number)).await.unwrap();
    now.capacity() - now.remaining()
}

async fn drop_at_each_poll(place: &Place, kind: &Kind, first: u32, linger: bool) {
    let most = if kind.name.contains("in turn") { 8 } else { 40 };
    for polls in 0..most {
        let number = first + u32::try_from(polls).unwrap();
        let limiter = &place.limiter;
        let held = prepare(limiter, kind, number).await;
        let mut call = (kind.call)(limiter.clone(), number);
        let (is_ready, polled) = poll_times(&mut call, polls, linger).await;
        drop(call);
        settle(limiter).await;
        let dropped = Dropped { polls: polled, is_ready, is_far: place.is_far };
        let (now, may) = (used(limiter, kind, number).await, (kind.after)(dropped));
        assert!(may.contains(&now), "{}: {now} in use, not {may:?}, {dropped:?}", kind.name);
        drop(held);
        if is_ready {
            return;
        }
    }
    assert!(kind.name.contains("in turn"), "{} is never ready", kind.name);
}

/// Waits until the units that are returned in the background have arrived. Units of held permits are not returned.
async fn settle(limiter: &RateLimiter) {
    // These requests are sent after all other requests on the same connection, so their replies arrive last.
    for _ in 0..3 {
        tokio::task::yield_now().await;
        let _ = limiter.peek(&COUNTER, "settled").await.unwrap();
    }
}

async fn drop_every_kind(place: Place) {
    // Makes the limiter load its overrides and connect.
    place.limiter.check(&COUNTER, "warm").await.unwrap();
    for (at, kind) in KINDS.iter().enumerate() {
        let first = 1000 * u32::try_from(at).unwrap();
        drop_at_each_poll(&place, kind, first, false).await;
        drop_at_each_poll(&place, kind, first + 500, true).await;
    }
}

/// Calls a leased limit in groups. Drops the calls of every second group after one to three polls.
async fn drop_leased_calls(limiter: RateLimiter) {
    const LEASED: Limit = Limit::counter(1_000_000, HOUR).lease(1000);
    let (mut admitted, mut dropped) = (0, 0);
    for polls in [1, 1, 2, 3] {
        for _ in 0..500 {
            limiter.check(&LEASED, "leased").await.unwrap();
            admitted += 1;
        }
        for _ in 0..500 {
            let leased = limiter.clone();
            let mut call: Call =
                Box::pin(async move { leased.check(&LEASED, "leased").await.map(drop).unwrap() });
            if poll_times(&mut call, polls, true).await.0 {
                admitted += 1;
            } else {
                dropped += 1;
                drop(call);
                let _ = limiter.peek(&COUNTER, "settled").await.unwrap();
            }
        }
    }
    limiter.close().await;
    let now = limiter.peek(&Limit::counter(1_000_000, HOUR), "leased").await.unwrap();
    let used = now.capacity() - now.remaining();
    let may = admitted..=admitted + dropped;
    assert!(may.contains(&used), "{used} in use, {admitted} admitted, {dropped} dropped");
}

async fn drop_all(limiter: RateLimiter, is_far: bool) {
    drop_every_kind(Place { limiter: limiter.clone(), is_far }).await;
    drop_leased_calls(limiter).await;
}

#[tokio::test]
async fn in_memory() {
    drop_all(RateLimiter::in_memory(), false).await;
}

#[tokio::test]
async fn on_a_server() {
    let server = support::RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).deny_cache(false).connect().await.unwrap();
    drop_all(limiter, true).await;
    assert_eq!(server.keys_without_ttl(), 0);
}

#[tokio::test]
async fn on_a_cluster() {
    let server = cluster_of_one();
    let limiter =
        limiter_on_slots(&server).on_error(OnError::Deny).deny_cache(false).connect().await.unwrap();
    drop_all(limiter, true).await;
}
