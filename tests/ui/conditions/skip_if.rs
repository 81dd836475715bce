// Values of `skip_if`.

#![allow(unused_variables)]

use ratelimit::{Rejection, rate_limit};

// `skip_if` takes an expression, not a closure.

struct User {
    is_admin: bool,
}

#[rate_limit(skip_if = |user| user.is_admin)]
async fn a(user: &User) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(skip_if = || true)]
async fn b() -> Result<(), Rejection> { Ok(()) }

// A condition that is always the same is a mistake.
#[rate_limit(skip_if = true)]
async fn c() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(skip_if = false)]
async fn d() -> Result<(), Rejection> { Ok(()) }

// The names of other libraries are recognized, and the message says what to write instead.
#[rate_limit(exempt_when = admin)]
async fn e() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(unless = admin)]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(condition = admin)]
async fn g() -> Result<(), Rejection> { Ok(()) }

// `skip_if` must be a `bool`.
#[rate_limit(skip_if = "admin")]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(skip_if = 1)]
async fn i() -> Result<(), Rejection> { Ok(()) }

fn main() {}
