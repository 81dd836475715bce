//! `Client`: what the arguments of a function say about the client, from which the limiter makes its address.

use crate::context::RequestContext;
use crate::error::Error;
use crate::identity::{PeerAddr, RequestHeaders};
use crate::limiter::RateLimiter;
use std::net::IpAddr;

/// Where the address of the client comes from.
#[derive(Clone, Copy)]
pub enum Address {
    /// No argument has it.
    Unknown,
    /// The application has resolved it.
    Resolved(Option<IpAddr>),
    /// The limiter resolves it from the peer and the headers.
    Peer(Option<PeerAddr>),
}

/// The client, as the arguments know it. It borrows the headers until the key is written.
#[derive(Clone, Copy)]
pub struct Client<'a> {
    pub(super) address: Address,
    pub(super) headers: Option<&'a dyn RequestHeaders>,
}

impl Client<'_> {
    /// The address, as this limiter sees it.
    #[inline]
    pub(crate) fn address(&self, limiter: &RateLimiter) -> Result<IpAddr, Error> {
        let peer = match &self.address {
            Address::Resolved(Some(address)) => return Ok(*address),
            Address::Resolved(None) | Address::Unknown => None,
            Address::Peer(peer) => peer.as_ref(),
        };
        limiter.resolve_client(peer, self.headers).or_else(|error| {
            // A request context has read the headers that no argument has.
            let peer = peer.copied().filter(|_| self.headers.is_none());
            peer.and_then(RequestContext::client_ip_behind).ok_or(error)
        })
    }
}
