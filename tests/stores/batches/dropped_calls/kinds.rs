//! The kinds of dropped calls, and for each kind the units that may be in use afterwards.

use super::{BUCKET, COUNTER, Dropped, Kind, OTHER, PATIENT, PERMITS, QUEUE, key, other_key};
use ratelimit::{AsKey, Limit, Rejection, rate_limit, scope};
use std::ops::RangeInclusive;

/// The units in use after a call that ended or was dropped, if a dropped call keeps the unit that it has taken.
fn taken(dropped: Dropped) -> RangeInclusive<u32> {
    match dropped {
        _ if dropped.is_ready => 1..=1,
        _ if dropped.before_the_question() => 0..=0,
        _ => 0..=1,
    }
}

/// The units in use after a call was dropped, if it returns the unit that it has taken.
fn given_back(dropped: Dropped) -> RangeInclusive<u32> {
    if dropped.before_the_answer() { 0..=1 } else { 0..=0 }
}

fn nothing(_: Dropped) -> RangeInclusive<u32> {
    0..=0
}

/// Builds the table of kinds. A row contains the name, the limit, the units that are in use before the call, the call, and the
/// units that are in use after it was dropped.
macro_rules! kinds {
    ($($name:literal $limit:ident $before:literal |$limiter:ident, $n:ident| $call:block => $after:expr;)*) => {
        pub(super) const KINDS: [Kind; 13] = [$(Kind {
            name: $name,
            limit: $limit,
            before: $before,
            call: |$limiter, $n| Box::pin(async move $call),
            after: $after,
        }),*];
    };
}

kinds! {
    "check" COUNTER 0 |limiter, n| { limiter.check(&COUNTER, key(n)).await.unwrap(); } => taken;
    "check_all" BUCKET 0 |limiter, n| {
        let stack: [(&Limit, &dyn AsKey, u32); 2] = [(&BUCKET, &key(n), 1), (&OTHER, &other_key(n), 1)];
        limiter.check_all(&stack).await.unwrap();
    } => taken;
    "peek" COUNTER 5 |limiter, n| { assert!(limiter.peek(&COUNTER, key(n)).await.unwrap().is_allowed()); } => |_| 5..=5;
    "reset" COUNTER 5 |limiter, n| {
        let _ = limiter.reset(&COUNTER, key(n)).await.unwrap();
    } => |dropped| if dropped.is_ready { 0..=0 } else { 0..=5 };
    "acquire, at once" COUNTER 0 |limiter, n| {
        limiter.acquire(&COUNTER, key(n)).await.unwrap();
    } => |dropped| if dropped.is_ready { 1..=1 } else { given_back(dropped) };
    "acquire, in turn" QUEUE 1 |limiter, n| {
        limiter.acquire(&QUEUE, key(n)).await.unwrap();
    } => |dropped| 1..=1 + given_back(dropped).end();
    "charge" BUCKET 0 |limiter, n| {
        drop(limiter.charge(&BUCKET, key(n), 1).await.unwrap());
    } => |dropped| if dropped.is_ready { 1..=1 } else { given_back(dropped) };
    "charge and refund" BUCKET 0 |limiter, n| {
        let charge = limiter.charge(&BUCKET, key(n), 1).await.unwrap();
        charge.refund().await.unwrap();
    } => given_back;
    // The poll that receives the charge also sends the settlement. If the call is dropped afterwards, 3 units are therefore in
    // use.
    "charge and settle" BUCKET 0 |limiter, n| {
        let charge = limiter.charge(&BUCKET, key(n), 1).await.unwrap();
        charge.settle(3).await.unwrap();
    } => |dropped| match dropped {
        _ if dropped.is_ready => 3..=3,
        _ if dropped.before_the_question() => 0..=0,
        _ if dropped.before_the_answer() => 0..=1,
        _ => 3..=3,
    };
    "penalize" COUNTER 0 |limiter, n| { assert_eq!(limiter.penalize(&COUNTER, key(n), 1).await.unwrap(), 1); } => taken;
    "permit" PERMITS 0 |limiter, n| { drop(limiter.permit(&PERMITS, key(n)).await.unwrap()); } => nothing;
    "permit, in turn" PATIENT 2 |limiter, n| { drop(limiter.permit(&PATIENT, key(n)).await.unwrap()); } => |_| 2..=2;
    "in turn, with a shadow" QUEUE 1 |limiter, n| {
        scope(limiter, async move { waits_beside_a_shadow(n).await.unwrap() }).await;
    } => |dropped| 1..=1 + given_back(dropped).end();
}

#[rate_limit(key = "dropped", by = number, limit = QUEUE)]
#[rate_limit(key = "shadow", by = number, count = 5, shadow = true)]
async fn waits_beside_a_shadow(number: u32) -> Result<(), Rejection> {
    Ok(())
}
