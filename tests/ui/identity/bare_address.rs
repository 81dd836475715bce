// A plain IP address may be one that a client has sent, so `by = "ip"` does not take it.

use axum::extract::Path;
use ratelimit::{Rejection, rate_limit};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tracing::instrument;

#[rate_limit(by = "ip")]
async fn bare(addr: IpAddr) -> Result<(), Rejection> {
    let _ = addr;
    Ok(())
}

#[rate_limit(by = ("ip", id))]
async fn several(id: u64, from: &Ipv4Addr, to: Option<IpAddr>) -> Result<(), Rejection> {
    let _ = (id, from, to);
    Ok(())
}

#[rate_limit(by = addr)]
async fn trusted(addr: IpAddr) -> Result<(), Rejection> {
    let _ = addr;
    Ok(())
}

// The part of a path is not a connection.
#[rate_limit(by = "ip")]
#[instrument(skip_all)]
async fn in_a_path(Path(peer): Path<SocketAddr>) -> Result<(), Rejection> {
    let _ = peer;
    Ok(())
}

fn main() {}
