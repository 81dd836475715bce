//! Finds peers and headers in the requests and extractors of salvo.

use crate::__private::{RequestArgument, RequestPeer, callers};
use crate::frameworks::request_type;
use crate::identity::PeerAddr;
use salvo_core::conn::SocketAddr;
use salvo_core::extract::{
    Extractible, FormBody, FormFile, FormFiles, HeaderParam, JsonBody, PathParam, QueryParam,
};
use salvo_core::routing::FlowCtrl;
use salvo_core::{ConnCtrl, Depot, Request, Response, Scribe};

request_type! {
    /// The peer is the [`PeerAddr`] that a middleware or a test has put into the request, else the other end of the connection.
    ///
    /// A middleware that changes `remote_addr` also changes the peer. Use `trusted_proxies` of the limiter instead.
    [] Request, |request| {
        headers: request.headers(),
        peer: request.extensions().get::<PeerAddr>().copied().or_else(|| request.remote_addr().peer()),
        method: request.method().as_str(),
        path: request.uri().path(),
    }
}

/// The peer is the address of the socket. A request without a connection has no address.
impl RequestPeer for SocketAddr {
    fn peer(&self) -> Option<PeerAddr> {
        match self {
            Self::IPv4(address) => Some(std::net::SocketAddr::from(*address).into()),
            Self::IPv6(address) => Some(std::net::SocketAddr::from(*address).into()),
            #[cfg(unix)]
            Self::Unix(_) => Some(PeerAddr::Unix),
            _ => None,
        }
    }
}

impl RequestArgument for ConnCtrl {}
impl RequestArgument for Depot {}
impl RequestArgument for FlowCtrl {}
impl RequestArgument for Response {}
impl RequestArgument for SocketAddr {}
impl RequestArgument for FormFile {}
impl RequestArgument for FormFiles {}
impl<T> RequestArgument for FormBody<T> {}
impl<T> RequestArgument for JsonBody<T> {}
impl<T> RequestArgument for PathParam<T> {}
impl<T, const REQUIRED: bool> RequestArgument for HeaderParam<T, REQUIRED> {}
impl<T, const REQUIRED: bool> RequestArgument for QueryParam<T, REQUIRED> {}

callers! {
    ArgumentOf [&&&] for<'ex> if Extractible<'ex> => OfClients;
    ReturnOf [&&&] if Scribe => OfClients;
}
