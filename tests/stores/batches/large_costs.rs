//! Calls that take many units. Each of these calls keeps a server busy for a short time. Therefore the server must be able to
//! decide other calls between two of them.

use crate::harness::{limiter_on, script_calls};
use ratelimit::{Algorithm, Key, Limit, OnError};
use support::{HOUR, RedisServer};
use tokio::task::JoinSet;

const MOST: u32 = 10_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_fill_a_log_are_sent_one_by_one() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).connect().await.unwrap();
    let log = Limit::sliding_log(MOST, HOUR);
    let before = script_calls(&server);
    let mut calls = JoinSet::new();
    for caller in 0..40 {
        let limiter = limiter.clone();
        calls.spawn(async move {
            limiter.check_cost(&log, Key::new("rows").by(caller), MOST).await.unwrap();
        });
    }
    calls.join_all().await;
    assert!(script_calls(&server) - before >= 40, "{}", script_calls(&server) - before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_permit_of_many_units_has_few_members() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).connect().await.unwrap();
    let limit = Limit::concurrency(MOST, HOUR);
    let key = limiter.store_key("rows", Algorithm::Concurrency).unwrap();
    let members = || -> u32 { redis::cmd("ZCARD").arg(key.as_bytes()).query(&mut server.raw()).unwrap() };
    for units in [1, 2, 4095, 8191, 8192, 9999, MOST] {
        let permit = limiter.permit_cost(&limit, "rows", units).await.unwrap();
        assert_eq!((permit.decision().remaining(), members()), (MOST - units, units.count_ones()));
        drop(permit);
        limiter.close().await;
        assert_eq!(members(), 0);
    }
}
