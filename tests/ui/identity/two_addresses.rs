// Two arguments with an address: the attribute does not guess which one is the client.

use axum::extract::{ConnectInfo, Request};
use ratelimit::{Rejection, rate_limit};
use std::net::{IpAddr, SocketAddr};

#[rate_limit(by = "ip")]
async fn bare(from: IpAddr, to: IpAddr) -> Result<(), Rejection> {
    let _ = (from, to);
    Ok(())
}

#[rate_limit(by = "ip")]
async fn carried(peer: ConnectInfo<SocketAddr>, id: u64, request: Request) -> Result<(), Rejection> {
    let _ = (peer, id, request);
    Ok(())
}

fn main() {}
