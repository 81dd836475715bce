// If a method lacks what the attribute of its `impl` block needs, the error is at the method.

#![allow(unused_variables)]

use ratelimit::{Rejection, rate_limit};
use std::net::SocketAddr;

struct Service;

#[rate_limit(key = "{self.id}:{to}", count = 5)]
impl Service {
    async fn fits(id: u64, to: &str) -> Result<(), Rejection> {
        Ok(())
    }

    async fn has_another(&self, too: &str) -> Result<(), Rejection> {
        Ok(())
    }

    async fn has_none(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

#[rate_limit(by = "ip")]
impl Service {
    async fn has_an_address(&self, peer: SocketAddr) -> Result<(), Rejection> {
        Ok(())
    }

    async fn has_no_address(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

#[rate_limit(count = 5)]
impl Service {
    async fn cannot_be_refused(&self) -> Option<()> {
        Some(())
    }
}

fn main() {
    let _ = (Service::fits(1, ""), Service.has_another(""), Service.has_none());
    let _ = (Service.has_an_address(SocketAddr::from(([127, 0, 0, 1], 1))), Service.has_no_address());
    let _ = Service.cannot_be_refused();
}
