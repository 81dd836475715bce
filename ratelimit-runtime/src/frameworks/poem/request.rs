//! Finds peers, headers and users in the requests and extractors of poem.

use crate::__private::{RequestArgument, RequestPeer, callers};
use crate::frameworks::request_type;
use crate::identity::{ClientIp, PeerAddr, UserId};
use crate::macros::delegate;
use poem::web::{Data, Form, Json, Path, Query, RealIp, RemoteAddr, TypedHeader};
use poem::{Addr, FromRequest, IntoResponse, Request};
use std::net::IpAddr;

request_type! {
    /// The peer is the [`PeerAddr`] that a middleware or a test has put into the request, else the other end of the connection.
    ///
    /// It never comes from `RealIp`, which trusts headers that any client can send.
    [] Request, |request| {
        headers: request.headers(),
        peer: request.data::<PeerAddr>().copied().or_else(|| request.remote_addr().peer()),
        method: request.method().as_str(),
        // A nested route cuts its prefix off `uri`, but not off `original_uri`. In a request that a test has built,
        // `original_uri` is always `/`.
        path: match request.original_uri().path() {
            "/" => request.uri().path(),
            path => path,
        },
    }
}

/// The peer is the address of the socket. A custom address is not a peer, because the application's own transport has chosen
/// it.
impl RequestPeer for RemoteAddr {
    fn peer(&self) -> Option<PeerAddr> {
        match &self.0 {
            Addr::SocketAddr(address) => Some((*address).into()),
            #[cfg(unix)]
            Addr::Unix(_) => Some(PeerAddr::Unix),
            Addr::Custom(..) => None,
        }
    }
}

// Finds the client and the user that a middleware has put into the request.
delegate! { impl [T: ClientIp] ClientIp for Data<T> => { fn client_ip(&self) -> Option<IpAddr>; } }
delegate! { impl [T: UserId] UserId for Data<T> => { type Id; fn user_id(&self) -> Option<T::Id>; } }

impl RequestArgument for RealIp {}
impl RequestArgument for RemoteAddr {}
impl<T> RequestArgument for Data<T> {}
impl<T> RequestArgument for Form<T> {}
impl<T> RequestArgument for Json<T> {}
impl<T> RequestArgument for Path<T> {}
impl<T> RequestArgument for Query<T> {}
impl<T> RequestArgument for TypedHeader<T> {}

callers! {
    ArgumentOf [&&&&&&] for<'a> if FromRequest<'a> => OfClients;
    ReturnOf [&&&&&&] if IntoResponse => OfClients;
}
