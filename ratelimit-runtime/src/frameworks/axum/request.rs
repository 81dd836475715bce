//! Peers and users in the extractors of axum.

use crate::__private::{RequestArgument, RequestPeer, callers};
use crate::identity::{ClientIp, PeerAddr, UserId};
use axum::Extension;
use axum::extract::connect_info::MockConnectInfo;
use axum::extract::{ConnectInfo, FromRequest, FromRequestParts, Path, State};
use axum::http::Extensions;
use axum::response::IntoResponse;
use std::net::{IpAddr, SocketAddr};

/// The peer, which `into_make_service_with_connect_info` provides.
impl RequestPeer for ConnectInfo<SocketAddr> {
    fn peer(&self) -> Option<PeerAddr> {
        Some(self.0.into())
    }
}

/// The client, if the service has its own connection type, which knows the client.
impl<T: ClientIp> ClientIp for ConnectInfo<T> {
    fn client_ip(&self) -> Option<IpAddr> {
        self.0.client_ip()
    }
}

/// The client that a middleware has put into the request.
impl<T: ClientIp> ClientIp for Extension<T> {
    fn client_ip(&self) -> Option<IpAddr> {
        self.0.client_ip()
    }
}

/// The user that a middleware has put into the request.
impl<T: UserId> UserId for Extension<T> {
    type Id = T::Id;

    fn user_id(&self) -> Option<T::Id> {
        self.0.user_id()
    }
}

impl<T> RequestArgument for ConnectInfo<T> {}
impl<T> RequestArgument for Extension<T> {}
impl<T> RequestArgument for Path<T> {}
impl<T> RequestArgument for State<T> {}

callers! {
    ArgumentOf [&&&&&&&&&] if FromRequestParts<()> => OfClients;
    ArgumentOf [&&&&&&&&] if FromRequest<()> => OfClients;
    ReturnOf [&&&&&&&&&] if IntoResponse => OfClients;
}

/// The peer that axum has put into the extensions of a request.
pub(in crate::frameworks) fn peer(extensions: &Extensions) -> Option<PeerAddr> {
    let connected = extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| (*peer).into());
    // Tests set `MockConnectInfo`, which axum's own extractor reads too.
    let mocked =
        || extensions.get::<MockConnectInfo<SocketAddr>>().map(|MockConnectInfo(peer)| (*peer).into());
    connected.or_else(mocked)
}
