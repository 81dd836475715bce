// A handler whose limit all clients share causes a warning.

#![allow(unused_variables)]
#![deny(deprecated)]

use axum::extract::{Path, Request, State};
use axum::http::HeaderMap;
use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 5)]
async fn a(request: Request) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "b", count = 5)]
async fn b(State(state): State<u32>, headers: &HeaderMap) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 5, by = "global")]
async fn c(request: Request) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "d:{id}", count = 5)]
async fn d(Path(id): Path<u32>) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 5, algorithm = "concurrency")]
async fn e(request: Request) -> Result<(), Rejection> {
    Ok(())
}

struct User;

impl ratelimit::UserId for User {
    type Id = u64;

    fn user_id(&self) -> Option<u64> {
        Some(7)
    }
}

#[rate_limit(count = 5)]
async fn f(user: User) -> Result<(), Rejection> {
    Ok(())
}

fn main() {}
