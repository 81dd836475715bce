//! Limits that are nearly used up: all limiters of a server together report one event for each window and identity.

use crate::harness::limiter_on;
use ratelimit::observe::{Hook, IdentityHash, NearLimit};
use ratelimit::{Key, Limit, Rejection};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use support::{HOUR, RedisServer};
use tokio::task::JoinSet;

const LIMIT: Limit = Limit::counter(10, HOUR);
const IDENTITIES: u32 = 1000;

/// The events of all limiters, by identity.
#[derive(Default)]
struct Heard(Mutex<HashMap<Option<IdentityHash>, Vec<u32>>>);

impl Hook for Heard {
    fn near_limit(&self, near: &NearLimit) {
        assert_eq!(near.name(), "quota");
        let mut heard = self.0.lock().unwrap();
        heard.entry(near.identity()).or_default().push(near.decision().remaining());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_call_in_all_processes_makes_a_limit_nearly_used_up() {
    let (server, heard) = (RedisServer::start(), Arc::new(Heard::default()));
    let (mut limiters, mut calls) = (Vec::new(), JoinSet::new());
    for _ in 0..4 {
        let limiter = limiter_on(&server).hook(Arc::clone(&heard)).connect().await.unwrap();
        // Each of the four limiters makes three calls for each identity. Ten of these twelve calls are admitted.
        for call in 0..3 * IDENTITIES {
            let limiter = limiter.clone();
            calls.spawn(async move {
                match limiter.check(&LIMIT, Key::new("quota").by(call % IDENTITIES)).await {
                    Ok(_) => 1_u32,
                    Err(Rejection::Limited(_)) => 0,
                    Err(rejection) => panic!("not decided: {rejection:?}"),
                }
            });
        }
        limiters.push(limiter);
    }
    let admitted: u32 = calls.join_all().await.into_iter().sum();
    assert_eq!(admitted, 10 * IDENTITIES);
    for limiter in &limiters {
        limiter.close().await;
    }
    let heard = heard.0.lock().unwrap();
    assert_eq!(heard.len(), usize::try_from(IDENTITIES).unwrap());
    for identity in 0..IDENTITIES {
        let hash = limiters[0].identity_hash(Key::new("quota").by(identity)).unwrap();
        assert_eq!(heard[&hash], [2], "the eighth of ten calls of {identity}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_settlement_in_all_processes_makes_a_limit_nearly_used_up() {
    const TOKENS: Limit = Limit::token_bucket(100, HOUR);
    let (server, heard) = (RedisServer::start(), Arc::new(Heard::default()));
    let (mut limiters, mut calls) = (Vec::new(), JoinSet::new());
    for _ in 0..4 {
        let limiter = limiter_on(&server).hook(Arc::clone(&heard)).connect().await.unwrap();
        // Each of the four limiters makes a call for each identity, which takes 5 units, and 24 when it is settled. The calls
        // alone take at most 77 of 80 units.
        for identity in 0..IDENTITIES {
            let limiter = limiter.clone();
            calls.spawn(async move {
                let charge = limiter.charge(&TOKENS, Key::new("quota").by(identity), 5).await.unwrap();
                assert_eq!(charge.settle(24).await.unwrap(), 19);
            });
        }
        limiters.push(limiter);
    }
    calls.join_all().await;
    for limiter in &limiters {
        limiter.close().await;
    }
    let heard = heard.0.lock().unwrap();
    assert_eq!(heard.len(), usize::try_from(IDENTITIES).unwrap());
    assert!(heard.values().all(|told| told.len() == 1), "once for each identity: {heard:?}");
}

#[tokio::test]
async fn the_share_and_the_cost_of_a_call_count() {
    let (server, heard) = (RedisServer::start(), Arc::new(Heard::default()));
    let limiter = limiter_on(&server).hook(Arc::clone(&heard)).near_limit(0.5).connect().await.unwrap();
    let key = |identity: u32| Key::new("quota").by(identity);
    for cost in [1, 2, 3, 4] {
        limiter.check_cost(&LIMIT, key(1), cost).await.unwrap();
    }
    limiter.check_cost(&LIMIT, key(1), 1).await.unwrap_err();
    limiter.check_cost(&LIMIT, key(2), 4).await.unwrap();
    let charge = limiter.charge(&LIMIT, key(2), 4).await.unwrap();
    limiter.close().await;
    let heard = std::mem::take(&mut *heard.0.lock().unwrap());
    let of = |identity| heard[&limiter.identity_hash(key(identity)).unwrap()].clone();
    assert_eq!((of(1), of(2)), (vec![4], vec![2]));
    charge.refund().await.unwrap();
}
