//! Finds the address of the client among the arguments of a function.

mod merge;
mod pass;

pub use merge::{FoundAddress, KeptAddress, MergeAddress, TrustedAddress};
pub use pass::{MakeAgain, OnlyPart, PassAddress};

use super::probe::{Argument, Nothing, probe};
use crate::context::RequestContext;
use crate::error::Error;
use crate::identity::{ClientIp, PeerAddr, RequestHeaders};
use crate::limiter::RateLimiter;
use crate::macros::delegate;
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::sync::Arc;

/// A request or a connection of a web framework. It knows the peer, and the limiter finds the client behind that peer.
pub trait RequestPeer {
    /// The other end of the connection. `None` if the server does not provide it.
    fn peer(&self) -> Option<PeerAddr>;

    /// The headers of the request. `None` for a type that has no headers, such as a connection.
    fn headers(&self) -> Option<&dyn RequestHeaders> {
        None
    }
}

delegate! {
    RequestPeer for &T, &mut T, Arc<T> => {
        fn peer(&self) -> Option<PeerAddr>;
        fn headers(&self) -> Option<&dyn RequestHeaders>;
    }
}

impl<T: RequestPeer> RequestPeer for Option<T> {
    fn peer(&self) -> Option<PeerAddr> {
        self.as_ref()?.peer()
    }

    fn headers(&self) -> Option<&dyn RequestHeaders> {
        self.as_ref()?.headers()
    }
}

/// The kind of an argument with a plain IP address, which any client may have chosen.
#[derive(Clone, Copy, Debug)]
pub struct Bare;

/// The kind of an argument with a plain socket address. The address is the peer if no other argument knows the peer.
#[derive(Clone, Copy, Debug)]
pub struct Socket;

/// The kind of a request or a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer;

/// The kind of an argument that knows the client.
#[derive(Clone, Copy, Debug)]
pub struct Resolved;

/// The address and the headers that one or more arguments provide. The type parameter is the kind of the argument.
pub struct Candidate<'a, Kind> {
    client: Client<'a>,
    kind: PhantomData<Kind>,
}

impl<'a, Kind> Candidate<'a, Kind> {
    const fn new(address: Address, headers: Option<&'a dyn RequestHeaders>) -> Self {
        Self { client: Client { address, headers }, kind: PhantomData }
    }
}

/// A type that is only an address.
pub trait PlainAddress {
    type Kind;
    fn address(&self) -> Address;
}

macro_rules! plain {
    ($($type:ty: $kind:ty, |$address:ident| $ip:expr;)*) => {$(
        impl PlainAddress for $type {
            type Kind = $kind;
            fn address(&self) -> Address {
                let $address = *self;
                Address::Peer(Some(PeerAddr::Ip($ip)))
            }
        }
    )*};
}

plain! {
    IpAddr: Bare, |address| address;
    Ipv4Addr: Bare, |address| address.into();
    Ipv6Addr: Bare, |address| address.into();
    SocketAddr: Socket, |address| address.ip();
    SocketAddrV4: Socket, |address| (*address.ip()).into();
    SocketAddrV6: Socket, |address| (*address.ip()).into();
}

delegate! { PlainAddress for &T, &mut T => { type Kind; fn address(&self) -> Address; } }

impl<T: PlainAddress> PlainAddress for Option<T> {
    type Kind = T::Kind;
    fn address(&self) -> Address {
        self.as_ref().map_or(Address::Peer(None), PlainAddress::address)
    }
}

probe! {
    /// Finds out what an argument says about the client.
    ProbeAddress::__ratelimit_probe_ip(Argument);
    [&&&&] if PlainAddress => Candidate<'a, T::Kind>: |plain| Candidate::new(plain.address(), None);
    [&&&] if RequestPeer => Candidate<'a, Peer>: |request| {
        Candidate::new(Address::Peer(request.peer()), request.headers())
    };
    [&&] if ClientIp => Candidate<'a, Resolved>: |known| Candidate::new(Address::Resolved(known.client_ip()), None);
    [&] if RequestHeaders & Sized => Candidate<'a, Nothing>: |headers| Candidate::new(Address::Unknown, Some(headers));
    [] => Nothing: |_| Nothing;
}

/// The source of the client's address.
#[derive(Clone, Copy)]
pub enum Address {
    /// No argument has an address.
    Unknown,
    /// The application has resolved the address.
    Resolved(Option<IpAddr>),
    /// The limiter resolves the address from the peer and the headers.
    Peer(Option<PeerAddr>),
}

/// The address and the headers of the client, as found in the arguments. It borrows the headers until the key is written.
#[derive(Clone, Copy)]
pub struct Client<'a> {
    pub(super) address: Address,
    pub(super) headers: Option<&'a dyn RequestHeaders>,
}

impl Client<'_> {
    /// Resolves the address with the trusted proxies of this limiter.
    #[inline]
    pub(crate) fn address(&self, limiter: &RateLimiter) -> Result<IpAddr, Error> {
        let peer = match &self.address {
            Address::Resolved(Some(address)) => return Ok(*address),
            Address::Resolved(None) | Address::Unknown => None,
            Address::Peer(peer) => peer.as_ref(),
        };
        limiter.resolve_client(peer, self.headers).or_else(|error| {
            let known = match (self.address, self.headers) {
                // If no argument has headers, the request context may know the client, because the layer has read the headers.
                (Address::Peer(Some(peer)), None) => RequestContext::client_ip_behind(peer),
                // A request that the service has made itself, such as a call of gRPC in a handler, was not received from a peer.
                (Address::Peer(None), _) => RequestContext::current().and_then(|context| context.client_ip()),
                _ => None,
            };
            known.ok_or(error)
        })
    }
}

#[cfg(test)]
mod tests;
