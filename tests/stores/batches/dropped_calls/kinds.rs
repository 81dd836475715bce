//! The kinds of calls that are dropped, and the units that may be in use afterwards.

use super::{BUCKET, COUNTER, Dropped, Kind, OTHER, PATIENT, PERMITS, QUEUE, key, other_key};
use ratelimit::{AsKey, Limit, Rejection, rate_limit, scope};
use std::ops::RangeInclusive;

/// Units of a call that stay charged: if the call ended, or if it was dropped before its decision arrived.
fn taken(dropped: Dropped) -> RangeInclusive<u32> {
    match dropped {
        _ if dropped.is_ready => 1..=1,
        _ if dropped.before_the_question() => 0..=0,
        _ => 0..=1,
    }
}

/// Units of a call that are returned if it is dropped after its decision.
fn given_back(dropped: Dropped) -> RangeInclusive<u32> {
    if dropped.before_the_answer() { 0..=1 } else { 0..=0 }
}

fn nothing(_: Dropped) -> RangeInclusive<u32> {
    0..=0
}

pub(super) const KINDS: [Kind; 13] = [
    Kind {
        name: "check",
        limit: COUNTER,
        before: 0,
        call: |limiter, n| {
            Box::pin(async move {
                limiter.check(&COUNTER, key(n)).await.unwrap();
            })
        },
        after: taken,
    },
    Kind {
        name: "check_all",
        limit: BUCKET,
        before: 0,
        call: |limiter, n| {
            Box::pin(async move {
                let stack: [(&Limit, &dyn AsKey, u32); 2] =
                    [(&BUCKET, &key(n), 1), (&OTHER, &other_key(n), 1)];
                limiter.check_all(&stack).await.unwrap();
            })
        },
        after: taken,
    },
    Kind {
        name: "peek",
        limit: COUNTER,
        before: 5,
        call: |limiter, n| {
            Box::pin(async move {
                assert!(limiter.peek(&COUNTER, key(n)).await.unwrap().is_allowed());
            })
        },
        after: |_| 5..=5,
    },
    Kind {
        name: "reset",
        limit: COUNTER,
        before: 5,
        call: |limiter, n| {
            Box::pin(async move {
                let _ = limiter.reset(&COUNTER, key(n)).await.unwrap();
            })
        },
        after: |dropped| if dropped.is_ready { 0..=0 } else { 0..=5 },
    },
    Kind {
        name: "acquire, at once",
        limit: COUNTER,
        before: 0,
        call: |limiter, n| {
            Box::pin(async move {
                limiter.acquire(&COUNTER, key(n)).await.unwrap();
            })
        },
        after: |dropped| if dropped.is_ready { 1..=1 } else { given_back(dropped) },
    },
    Kind {
        name: "acquire, in turn",
        limit: QUEUE,
        before: 1,
        call: |limiter, n| {
            Box::pin(async move {
                limiter.acquire(&QUEUE, key(n)).await.unwrap();
            })
        },
        after: |dropped| 1..=1 + given_back(dropped).end(),
    },
    Kind {
        name: "charge",
        limit: BUCKET,
        before: 0,
        call: |limiter, n| Box::pin(async move { drop(limiter.charge(&BUCKET, key(n), 1).await.unwrap()) }),
        after: |dropped| if dropped.is_ready { 1..=1 } else { given_back(dropped) },
    },
    Kind {
        name: "charge and refund",
        limit: BUCKET,
        before: 0,
        call: |limiter, n| {
            Box::pin(async move {
                let charge = limiter.charge(&BUCKET, key(n), 1).await.unwrap();
                charge.refund().await.unwrap();
            })
        },
        after: given_back,
    },
    Kind {
        name: "charge and settle",
        limit: BUCKET,
        before: 0,
        call: |limiter, n| {
            Box::pin(async move {
                let charge = limiter.charge(&BUCKET, key(n), 1).await.unwrap();
                charge.settle(3).await.unwrap();
            })
        },
        // After the charge, the settlement is already on its way.
        after: |dropped| match dropped {
            _ if dropped.is_ready => 3..=3,
            _ if dropped.before_the_question() => 0..=0,
            _ if dropped.before_the_answer() => 0..=1,
            _ => 3..=3,
        },
    },
    Kind {
        name: "penalize",
        limit: COUNTER,
        before: 0,
        call: |limiter, n| {
            Box::pin(async move {
                assert_eq!(limiter.penalize(&COUNTER, key(n), 1).await.unwrap(), 1);
            })
        },
        after: taken,
    },
    Kind {
        name: "permit",
        limit: PERMITS,
        before: 0,
        call: |limiter, n| Box::pin(async move { drop(limiter.permit(&PERMITS, key(n)).await.unwrap()) }),
        after: nothing,
    },
    Kind {
        name: "permit, in turn",
        limit: PATIENT,
        before: 2,
        call: |limiter, n| Box::pin(async move { drop(limiter.permit(&PATIENT, key(n)).await.unwrap()) }),
        after: |_| 2..=2,
    },
    Kind {
        name: "in turn, with a shadow",
        limit: QUEUE,
        before: 1,
        call: |limiter, n| Box::pin(scope(limiter, async move { waits_beside_a_shadow(n).await.unwrap() })),
        after: |dropped| 1..=1 + given_back(dropped).end(),
    },
];

#[rate_limit(key = "dropped", by = number, limit = QUEUE)]
#[rate_limit(key = "shadow", by = number, count = 5, shadow = true)]
async fn waits_beside_a_shadow(number: u32) -> Result<(), Rejection> {
    Ok(())
}
