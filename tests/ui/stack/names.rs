// Names of several limits of one function.

#![allow(unused_variables)]

use ratelimit::{Limit, Rejection, UserId, rate_limit, rate_limit as limited};
use std::net::SocketAddr;
use std::time::Duration;

// Two limits of one function that would have one name.

const WINDOW: Duration = Duration::from_secs(1);

struct User;

impl UserId for User {
    type Id = u32;

    fn user_id(&self) -> Option<u32> {
        Some(7)
    }
}

#[rate_limit(count = 5)]
#[rate_limit(count = 6)]
async fn a() -> Result<(), Rejection> { Ok(()) }

#[rate_limit(key = "a", by = user, time = "1m")]
#[rate_limit(time = 1, by = user)]
#[rate_limit(key = "a", by = user, time = 60, cost = 2)]
async fn b(user: u64) -> Result<(), Rejection> { Ok(()) }

#[rate_limit(time = time)]
#[rate_limit(time = time, count = 5)]
async fn c(time: Duration) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(limit = limit)]
#[rate_limit(limit = limit)]
async fn d(limit: Limit) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "login", by = "ip", count = 100)]
#[rate_limit(key = "login", by = "user", count = 5)]
async fn e(peer: SocketAddr, user: User) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "1s", count = 5)]
#[rate_limit(algorithm = "concurrency", time = "1s", count = 5)]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "g", time = "1s", count = 5, shadow = on)]
#[rate_limit(key = "g", time = "1s", count = 7, shadow = true)]
async fn g(on: bool) -> Result<(), Rejection> { Ok(()) }

struct Api;

#[rate_limit(time = WINDOW)]
#[rate_limit(time = "1d")]
impl Api {
    async fn one(&self) -> Result<(), Rejection> {
        Ok(())
    }

    async fn other(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

#[rate_limit(key = "i", time = "1s", count = 5)]
#[rate_limit(key = "i", time = "1d", count = 50)]
#[rate_limit(key = "i/1s", time = "1h", count = 20)]
async fn h() -> Result<(), Rejection> { Ok(()) }

#[rate_limit(key = "j", time = "1s", count = 5, shadow = true)]
#[rate_limit(key = "j/shadow", time = "1s", count = 5)]
async fn i() -> Result<(), Rejection> { Ok(()) }

// An enforced limit and a shadow limit have different names.
#[rate_limit(key = "h", count = 50)]
#[rate_limit(key = "h", count = 5, shadow = true)]
async fn j() -> Result<(), Rejection> { Ok(()) }

// The first attribute does not recognize an attribute under another name.

mod renamed {
    pub use ratelimit::rate_limit;
}

#[rate_limit(time = 1, count = 5)]
#[limited(time = "1d", count = 500)]
async fn k() -> Result<(), Rejection> { Ok(()) }

#[limited(time = 1, count = 5)]
#[limited(time = "1d", count = 500)]
async fn l() -> Result<(), Rejection> { Ok(()) }

#[rate_limit(time = 1, count = 5)]
#[inline]
#[renamed::rate_limit(time = "1d", count = 500)]
async fn m() -> Result<(), Rejection> { Ok(()) }

fn main() {}
