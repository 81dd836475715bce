//! axum support: client addresses, headers and users from axum's types, and rejections as responses.

use crate::__private::{RequestArgument, RequestPeer};
use crate::answer::Answer;
use crate::identity::{ClientIp, PeerAddr, RequestHeaders, UserId};
use crate::rejection::{FromRejection, Rejection};
use crate::web::http::refusal;
use axum::Extension;
use axum::body::Body;
use axum::extract::connect_info::MockConnectInfo;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, Request, StatusCode};
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

    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.get_all(name).iter().for_each(|value| line(value.as_bytes()));
    }
}

impl<B> RequestHeaders for Request<B> {
    fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers().header(name)
    }

    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.headers().header_lines(name, line);
    }
}

impl RequestHeaders for Parts {
    fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.header(name)
    }

    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.headers.header_lines(name, line);
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

fn status(answer: &Answer) -> StatusCode {
    StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The [`answer`](Rejection::answer) to the rejection: [`Limited`](Rejection::Limited) is 429 with `Retry-After` in whole seconds.
/// [`Unidentified`](Rejection::Unidentified) is 400. [`Unavailable`](Rejection::Unavailable) is 503 with `Retry-After: 1`. A
/// call that never passes gets no `Retry-After`.
impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        refusal(&self, false).map(Body::from)
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
        status(&rejection.answer())
    }
}

/// The status and the body of the [`answer`](Rejection::answer), without `Retry-After`. axum sends a string as `text/plain`, also if
/// it is JSON.
impl From<Rejection> for (StatusCode, String) {
    fn from(rejection: Rejection) -> Self {
        let answer = rejection.answer();
        (status(&answer), String::from_utf8_lossy(&answer.body).into_owned())
    }
}
