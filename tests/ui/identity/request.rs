// `by = "user"` and `by = "header:.."` without one argument that has them.

#![allow(unused_variables)]

use axum::http::HeaderMap;
use axum::http::request::Parts;
use ratelimit::identity::RequestHeaders;
use ratelimit::{Rejection, UserId, rate_limit};

// `by = "user"` needs an argument that knows the user.
#[rate_limit(by = "user")]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = "user")]
async fn b(user: u64) -> Result<(), Rejection> { Ok(()) }

// Two arguments that know a user: the attribute does not guess which one counts.

struct User;

impl UserId for User {
    type Id = u64;

    fn user_id(&self) -> Option<u64> {
        Some(7)
    }
}

#[rate_limit(by = "user")]
async fn c(one: &User, other: &User) -> Result<(), Rejection> { Ok(()) }

// The `Id` of a user must be an identity.

struct Account;

struct Tenant;

impl UserId for Tenant {
    type Id = Account;

    fn user_id(&self) -> Option<Account> {
        Some(Account)
    }
}

#[rate_limit(by = "user")]
async fn d(user: Tenant) -> Result<(), Rejection> { Ok(()) }

// `by = "header:.."` needs an argument with the headers of the request.
#[rate_limit(by = "header:x-api-key")]
async fn e() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = 60, by = ("header:x-api-key", id))]
async fn f(id: u64) -> Result<(), Rejection> { Ok(()) }

// Two arguments with headers: the attribute does not guess which one counts.
#[rate_limit(by = "header:x-api-key")]
async fn g(headers: HeaderMap, parts: &Parts) -> Result<(), Rejection> { Ok(()) }

// The compiler's messages for types that do not implement `UserId` or `RequestHeaders`.

fn of_user(user: &impl UserId) {}

fn of_headers(headers: &impl RequestHeaders) {}

fn main() {
    of_user(&Account);
    of_headers(&Account);
}
