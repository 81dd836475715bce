//! Names in the user's code that generated code must not take for its own. Frameworks make a unit struct of each handler, so
//! any word can be one.

#![allow(non_camel_case_types, dead_code)]

use crate::harness::scoped;
use ratelimit::{Rejection, UserId, rate_limit};

struct call;
struct check;
struct rejection;
struct admission;
struct result;
struct found;
struct lasting;
struct limiter;
struct ip;
struct user;
struct header0;
struct argument0;
struct settle0;

struct Caller;

impl UserId for Caller {
    type Id = u8;

    fn user_id(&self) -> Option<u8> {
        Some(7)
    }
}

#[rate_limit(key = "names", time = 1, count = 2, by = ("user", id), refund_if = |r: &Result<u8, Rejection>| r.is_err())]
#[rate_limit(key = "names", time = 60, count = 1, by = "user", cost = 1)]
async fn stacked(_: Caller, (id, _): (u8, u8)) -> Result<u8, Rejection> {
    Ok(id)
}

#[rate_limit(key = "permit", count = 1, algorithm = "concurrency")]
async fn permit() -> impl Into<u8> {
    1
}

#[tokio::test]
async fn a_unit_struct_can_have_any_name() {
    scoped(async {
        assert_eq!(stacked(Caller, (3, 0)).await.unwrap(), 3);
        assert!(stacked(Caller, (3, 0)).await.is_err());
        assert!(permit().await.is_ok());
    })
    .await;
}
