// Forms that are not a value, or that hide the type of the value.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = ["user", "ip"])]
async fn a(peer: std::net::IpAddr) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(by = |id| id)]
async fn b(id: u64) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(by = peer.to_string())]
async fn c(peer: std::net::SocketAddr) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = 60, by = header:x-api-key)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}
