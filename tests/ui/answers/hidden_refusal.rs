// An `on_limit` whose result looks like an admitted call, or like a missing page, causes a warning in a handler.

#![allow(unused_variables)]
#![deny(unused_must_use)]

use axum::Json;
use axum::extract::{ConnectInfo, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use ratelimit::{Rejection, rate_limit};
use std::net::SocketAddr;

#[rate_limit(count = 5, by = "global", on_limit = drop)]
async fn dropped(request: Request) {}

#[rate_limit(count = 5, by = "ip", on_limit = |_| Ok(Json(Vec::new())))]
async fn an_empty_list(peer: ConnectInfo<SocketAddr>) -> Result<Json<Vec<u32>>, StatusCode> {
    Ok(Json(vec![1]))
}

#[rate_limit(count = 5, by = "global", on_limit = |rejection| { eprintln!("{rejection}"); None })]
async fn missing(request: Request) -> Option<u32> {
    Some(1)
}

struct User;

impl ratelimit::UserId for User {
    type Id = u64;

    fn user_id(&self) -> Option<u64> {
        Some(7)
    }
}

#[rate_limit(count = 5, by = "user", on_limit = |_| Default::default())]
async fn of_a_user(user: User) -> String {
    "text".to_owned()
}

#[rate_limit(count = 5, by = "user", on_limit = |_| None)]
async fn missing_for_a_user(user: &User) -> Option<u32> {
    Some(1)
}

// The client sees the refusal, or the author knows what it sees.

#[rate_limit(count = 5, by = "global", on_limit = |rejection| Ok(rejection.into_response()))]
async fn response(request: Request) -> Result<Response, ()> {
    Err(())
}

fn ignore(_: Rejection) {}

#[rate_limit(count = 5, by = "global", on_limit = ignore)]
async fn intended(request: Request) {}

#[rate_limit(count = 5, on_limit = drop)]
async fn no_handler(name: &str) {}

fn main() {}
