//! Arguments and attributes under `cfg`.

#![allow(
    clippy::double_must_use,
    clippy::needless_pass_by_value,
    clippy::non_minimal_cfg,
    reason = "conditions that always hold, and those that never do"
)]

use crate::harness::{PEER, Runs, passes_once};
use ratelimit::{Rejection, rate_limit};
use std::future::Future;
use std::net::SocketAddr;

struct Wrapped<T>(T);

impl ratelimit::ClientIp for Wrapped<SocketAddr> {
    fn client_ip(&self) -> Option<std::net::IpAddr> {
        Some(self.0.ip())
    }
}

/// Some of the arguments are compiled out.
#[rate_limit(count = 1, key = "{a}", by = "ip")]
async fn conditional_arguments(
    #[cfg(any())] absent: SocketAddr,
    #[cfg(all())] peer: SocketAddr,
    #[cfg(any())] Wrapped((a, _)): Wrapped<(u8, u8)>,
    #[cfg(not(any()))] Wrapped([a, _]): Wrapped<[u8; 2]>,
    #[cfg(any())] _: String,
    #[allow(unused_variables)] unused: u8,
    runs: &Runs,
) -> Result<u32, Rejection> {
    assert!(peer.ip().is_loopback());
    Ok(runs.add() + u32::from(a))
}

#[rate_limit(count = 1, by = "ip")]
fn conditional_arguments_of_a_future(
    #[cfg(any())] absent: SocketAddr,
    #[cfg(all())] Wrapped(peer): Wrapped<SocketAddr>,
    runs: &Runs,
) -> impl Future<Output = Result<u32, Rejection>> {
    async move {
        assert!(peer.ip().is_loopback());
        Ok(runs.add())
    }
}

#[async_trait::async_trait]
trait Conditional {
    async fn argument(
        &self,
        #[cfg(any())] absent: SocketAddr,
        #[cfg(all())] peer: SocketAddr,
    ) -> Result<u32, Rejection>;
}

#[async_trait::async_trait]
impl Conditional for Runs {
    #[rate_limit(count = 1, by = "ip")]
    async fn argument(
        &self,
        #[cfg(any())] absent: SocketAddr,
        #[cfg(all())] peer: SocketAddr,
    ) -> Result<u32, Rejection> {
        assert!(peer.ip().is_loopback());
        Ok(self.add())
    }
}

#[rate_limit(count = 1, by = (if cfg!(any()) { 0 } else { *id }))]
#[cfg_attr(all(), doc = "Conditional attributes stay.", inline)]
#[must_use]
#[cfg(all())]
async fn conditional_attributes(id: &u32, runs: &Runs) -> Result<u32, Rejection> {
    #![cfg_attr(all(), allow(unused_variables))]
    #![allow(clippy::let_and_return)]
    let unused = 5;
    let run = runs.add();
    Ok(run)
}

#[tokio::test]
async fn conditions() {
    let runs = &Runs::default();
    passes_once(runs, async || conditional_arguments(PEER, Wrapped([1, 2]), 3, runs).await).await;
    passes_once(runs, async || conditional_arguments_of_a_future(Wrapped(PEER), runs).await).await;
    passes_once(runs, async || runs.argument(PEER).await).await;
    passes_once(runs, async || conditional_attributes(&1, runs).await).await;
}
