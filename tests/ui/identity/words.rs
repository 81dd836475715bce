// Words and forms of `by`.

#![allow(unused_variables)]

use ratelimit::{Rejection, rate_limit};

// An unknown word in `by`.
#[rate_limit(by = "ipp")]
async fn a(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = "user")]
async fn b(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = ("Ip", name))]
async fn c(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = ("global", name))]
async fn d(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }

// The names of other libraries are recognized, and the message says what to write instead.
#[rate_limit(by = "client_ip")]
async fn e() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = "user_id")]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = "api_key")]
async fn g() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = "everyone")]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = ("user", "everyone"))]
async fn i() -> Result<(), Rejection> { Ok(()) }

// `ip` and `global` need quotes, unless an argument has that name.
#[rate_limit(by = ip)]
async fn j(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = global)]
async fn k(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = (ip, name))]
async fn l(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }

// A word that is not an argument needs quotes.
#[rate_limit(by = user)]
async fn m() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = (user, ip))]
async fn n() -> Result<(), Rejection> { Ok(()) }

// A constant does not distinguish callers.
#[rate_limit(by = 5)]
async fn o(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = (name, true))]
async fn p(id: u64, name: &str) -> Result<(), Rejection> { Ok(()) }

// `global` has no effect in a tuple.
#[rate_limit(by = ("global", id))]
async fn q(id: u64) -> Result<(), Rejection> { Ok(()) }

// Forms that are not a value, or that hide the type of the value.
#[rate_limit(by = ["user", "ip"])]
async fn r(peer: std::net::IpAddr) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = |id| id)]
async fn s(id: u64) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = peer.to_string())]
async fn t(peer: std::net::SocketAddr) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = 60, by = header:x-api-key)]
async fn u() -> Result<(), Rejection> { Ok(()) }

// The name of a header must be valid in HTTP.
#[rate_limit(by = "header:x api key")]
async fn v() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = "header:x-api-key, x-tenant")]
async fn w() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = "header:größe")]
async fn x() -> Result<(), Rejection> { Ok(()) }

// `header:` needs the name of a header.
#[rate_limit(by = "header:")]
async fn y() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = "header")]
async fn z() -> Result<(), Rejection> { Ok(()) }

fn main() {}
