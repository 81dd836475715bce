// `by = "ip"` without one argument that has the address of the client.

#![allow(unused_variables)]

use axum::extract::{ConnectInfo, Path, Request};
use axum::{Extension, Json};
use ratelimit::{ClientIp, Rejection, rate_limit};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tracing::instrument;

// `by = "ip"` needs an argument with the address of the client.
#[rate_limit(by = "ip")]
async fn nothing() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = 60, by = ("ip", id))]
async fn others(id: u64, Json(body): Json<String>) -> Result<(), Rejection> { Ok(()) }

// A plain IP address may be one that a client has sent, so `by = "ip"` does not take it.
#[rate_limit(by = "ip")]
async fn bare(addr: IpAddr) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = ("ip", id))]
async fn several(id: u64, from: &Ipv4Addr, to: Option<IpAddr>) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = addr)]
async fn trusted(addr: IpAddr) -> Result<(), Rejection> { Ok(()) }

// The part of a path is not a connection.
#[rate_limit(by = "ip")]
#[instrument(skip_all)]
async fn in_a_path(Path(peer): Path<SocketAddr>) -> Result<(), Rejection> { Ok(()) }

// Two arguments with an address: the attribute does not guess which one is the client.

struct RealIp(IpAddr);

impl ClientIp for RealIp {
    fn client_ip(&self) -> Option<IpAddr> {
        Some(self.0)
    }
}

#[rate_limit(by = "ip")]
async fn sockets(from: SocketAddr, to: SocketAddr) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = "ip")]
async fn resolved(a: Extension<RealIp>, id: u64, b: RealIp) -> Result<(), Rejection> { Ok(()) }

// Both are parts of one request.
#[rate_limit(by = "ip")]
async fn peers(peer: ConnectInfo<SocketAddr>, id: u64, request: Request) -> Result<(), Rejection> { Ok(()) }

// The compiler's message for a type that does not implement `ClientIp`.

struct MyRequest;

fn peer(request: &impl ClientIp) {}

fn main() {
    peer(&MyRequest);
}
