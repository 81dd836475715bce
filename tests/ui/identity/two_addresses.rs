// Two arguments with an address: the attribute does not guess which one is the client.

use axum::Extension;
use axum::extract::{ConnectInfo, Request};
use ratelimit::{ClientIp, Rejection, rate_limit};
use std::net::{IpAddr, SocketAddr};

struct RealIp(IpAddr);

impl ClientIp for RealIp {
    fn client_ip(&self) -> Option<IpAddr> {
        Some(self.0)
    }
}

#[rate_limit(by = "ip")]
async fn sockets(from: SocketAddr, to: SocketAddr) -> Result<(), Rejection> {
    let _ = (from, to);
    Ok(())
}

#[rate_limit(by = "ip")]
async fn resolved(a: Extension<RealIp>, id: u64, b: RealIp) -> Result<(), Rejection> {
    let _ = (a, id, b);
    Ok(())
}

// Both are parts of one request.
#[rate_limit(by = "ip")]
async fn peers(peer: ConnectInfo<SocketAddr>, id: u64, request: Request) -> Result<(), Rejection> {
    let _ = (peer, id, request);
    Ok(())
}

fn main() {}
