//! axum support: client addresses, headers and users from axum's types, and rejections as responses.

use crate::__private::{RequestArgument, RequestPeer};
use crate::identity::{ClientIp, PeerAddr, RequestHeaders, UserId};
use crate::rejection::{FromRejection, Rejection, whole_seconds};
use axum::Extension;
use axum::extract::connect_info::MockConnectInfo;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::header::RETRY_AFTER;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderValue, Request, StatusCode};
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};

/// The peer, which `into_make_service_with_connect_info` provides.
impl RequestPeer for ConnectInfo<SocketAddr> {
    fn peer(&self) -> Option<PeerAddr> {
        Some(self.0.into())
    }
}

impl<B> RequestPeer for Request<B> {
    fn peer(&self) -> Option<PeerAddr> {
        peer(self.extensions())
    }

    fn headers(&self) -> Option<&dyn RequestHeaders> {
        Some(self.headers())
    }
}

impl RequestPeer for Parts {
    fn peer(&self) -> Option<PeerAddr> {
        peer(&self.extensions)
    }

    fn headers(&self) -> Option<&dyn RequestHeaders> {
        Some(&self.headers)
    }
}

/// The client, if the service has a connection type of its own that knows it.
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

impl RequestHeaders for HeaderMap {
    /// The value of the header. `None` if the header occurs more than once.
    fn header(&self, name: &str) -> Option<&[u8]> {
        let mut values = self.get_all(name).iter();
        let value = values.next()?;
        values.next().is_none().then(|| value.as_bytes())
    }
}

impl<B> RequestHeaders for Request<B> {
    fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers().header(name)
    }
}

impl RequestHeaders for Parts {
    fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.header(name)
    }
}

/// The user that a middleware has put into the request.
impl<T: UserId> UserId for Extension<T> {
    type Id = T::Id;

    fn user_id(&self) -> Option<T::Id> {
        self.0.user_id()
    }
}

impl RequestArgument for HeaderMap {}
impl RequestArgument for Parts {}
impl<B> RequestArgument for Request<B> {}
impl<T> RequestArgument for ConnectInfo<T> {}
impl<T> RequestArgument for Extension<T> {}
impl<T> RequestArgument for Path<T> {}
impl<T> RequestArgument for State<T> {}

/// The peer in the extensions of a request. A [`PeerAddr`] takes precedence, because a listener that reads the PROXY protocol
/// sets it beside the address of the socket.
fn peer(extensions: &Extensions) -> Option<PeerAddr> {
    let given = || extensions.get::<PeerAddr>().copied();
    let connected = || extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| (*peer).into());
    // Tests set `MockConnectInfo`, which axum's own extractor reads too.
    let mocked =
        || extensions.get::<MockConnectInfo<SocketAddr>>().map(|MockConnectInfo(peer)| (*peer).into());
    given().or_else(connected).or_else(mocked)
}

fn status(rejection: &Rejection) -> StatusCode {
    match rejection {
        Rejection::Limited(_) => StatusCode::TOO_MANY_REQUESTS,
        Rejection::Unidentified(_) => StatusCode::BAD_REQUEST,
        Rejection::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// [`Limited`](Rejection::Limited) is 429 with `Retry-After` in whole seconds. [`Unidentified`](Rejection::Unidentified) is
/// 400. [`Unavailable`](Rejection::Unavailable) is 503 with `Retry-After: 1`. A call that never passes gets no
/// `Retry-After`.
impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        let mut response = (status(&self), self.to_string()).into_response();
        if let Some(wait) = self.retry_after() {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
        }
        response
    }
}

impl From<Rejection> for Response {
    fn from(rejection: Rejection) -> Self {
        rejection.into_response()
    }
}

impl FromRejection for Response {
    fn from_rejection(rejection: Rejection) -> Self {
        rejection.into_response()
    }
}

/// Only the status, without `Retry-After`.
impl From<Rejection> for StatusCode {
    fn from(rejection: Rejection) -> Self {
        status(&rejection)
    }
}

/// The status and the message, without `Retry-After`.
impl From<Rejection> for (StatusCode, String) {
    fn from(rejection: Rejection) -> Self {
        (status(&rejection), rejection.to_string())
    }
}
