//! x
#![allow(missing_docs, dead_code)]
use axum::extract::ConnectInfo;
use ratelimit::{RateLimiter, Rejection, rate_limit};
use std::net::{IpAddr, SocketAddr};

#[rate_limit(key = "login", time = 60, count = 5, by = "ip")]
async fn login(ConnectInfo(peer): ConnectInfo<SocketAddr>) -> Result<String, Rejection> {
    Ok(format!("{peer}"))
}
#[rate_limit(key = "report:{user}:{kind.0}", time = "1h30m", count = 5, algorithm = "token_bucket", burst = n, by = (user, ip), cost = n / 2)]
async fn report(user: &str, kind: (u32,), ip: IpAddr, n: u32) -> Result<u32, Rejection> {
    Ok(kind.0 + n)
}
#[rate_limit]
async fn plain() -> Result<(), Rejection> {
    Ok(())
}
#[rate_limit(key = "imp", by = "ip")]
async fn imp(_: SocketAddr) -> impl axum::response::IntoResponse {
    "x"
}

struct S {
    limits: RateLimiter,
    id: u64,
}
impl S {
    #[rate_limit(limiter = self.limits, by = self.id, on_limit = |r| r.to_string(), count = 1)]
    async fn go(&mut self, mut x: u32) -> String {
        x += 1;
        x.to_string()
    }
}
#[tokio::main]
async fn main() {
    let a: SocketAddr = ([127, 0, 0, 1], 80).into();
    for _ in 0..6 {
        println!("{:?}", login(ConnectInfo(a)).await);
    }
    for _ in 0..4 {
        println!("{:?}", report("x", (3,), a.ip(), 4).await);
    }
    println!("{:?}", plain().await);
    println!("{:?}", imp(a).await.is_ok());
    let mut s = S {
        limits: RateLimiter::in_memory(),
        id: 3,
    };
    println!("{:?} {}", s.go(1).await, s.go(1).await);
}
