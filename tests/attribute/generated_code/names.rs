//! Names in the user's code that generated code must not confuse with its own names. Frameworks turn each handler into a
//! unit struct, so any word can be the name of a unit struct.

#![allow(non_camel_case_types, dead_code)]

use crate::harness::{PEER, scoped};
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use ratelimit::{RateLimiter, Rejection, UserId, rate_limit};

macro_rules! unit_structs {
    ($($name:ident)*) => { $(struct $name;)* };
}

unit_structs! {
    admission argument0 call calls check client found header header0 held ip kept key lasting limit limiter parts rejection
    request result settle settle0 target user
}

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

#[rate_limit(key = "window", count = 1, by = "ip", limiter = limits(), refund_if = Result::is_err)]
#[rate_limit(key = "header", count = 9, by = "header:x-api-key")]
#[rate_limit(key = "streams", count = 9, algorithm = "concurrency", by = id, until = "body_end")]
async fn held_by_a_body(_: &Request, id: u8) -> Result<Response, Rejection> {
    Ok(Response::default())
}

/// Returns the scoped limiter. This function exists so that the argument `limiter` of the attribute contains a function call.
fn limits() -> RateLimiter {
    RateLimiter::scoped().unwrap()
}

#[tokio::test]
async fn a_unit_struct_can_have_any_name() {
    scoped(async {
        assert_eq!(stacked(Caller, (3, 0)).await.unwrap(), 3);
        assert!(stacked(Caller, (3, 0)).await.is_err());
        assert!(permit().await.is_ok());
        let mut asked = Request::default();
        asked.headers_mut().insert("x-api-key", "key".parse().unwrap());
        asked.extensions_mut().insert(ConnectInfo(PEER));
        assert!(held_by_a_body(&asked, 1).await.is_ok());
        assert!(held_by_a_body(&asked, 1).await.is_err());
    })
    .await;
}
