//! poem support: peers, headers and users from poem's types, and rejections as responses and errors.

use crate::__private::{RequestArgument, RequestPeer, callers};
use crate::answer::Answered;
use crate::identity::{ClientIp, PeerAddr, RequestHeaders, UserId};
use crate::layer;
use crate::rejection::{FromRejection, Rejection};
use crate::web::http::{grpc_type, refusal, status};
use poem::error::ResponseError;
use poem::http::header::HeaderName;
use poem::http::{HeaderValue, StatusCode};
use poem::web::{Data, Form, Json, Path, Query, RealIp, RemoteAddr, TypedHeader};
use poem::{Addr, FromRequest, IntoResponse, Request, Response};
use std::net::IpAddr;

/// The [`PeerAddr`] that a middleware or a test has put into the request, else the other end of the connection.
///
/// It never comes from `RealIp`, which believes headers that any client can send.
impl RequestPeer for Request {
    fn peer(&self) -> Option<PeerAddr> {
        self.data::<PeerAddr>().copied().or_else(|| self.remote_addr().peer())
    }

    fn headers(&self) -> Option<&dyn RequestHeaders> {
        Some(self.headers())
    }
}

/// The address of the socket. A custom address, which the application's own transport has chosen, is not the address of a socket.
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

/// The address that a middleware has put into the request.
impl<T: ClientIp> ClientIp for Data<T> {
    fn client_ip(&self) -> Option<IpAddr> {
        self.0.client_ip()
    }
}

impl RequestHeaders for Request {
    fn header(&self, name: &str) -> Option<&[u8]> {
        RequestHeaders::header(self.headers(), name)
    }

    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.headers().header_lines(name, line);
    }
}

/// The user that a middleware has put into the request.
impl<T: UserId> UserId for Data<T> {
    type Id = T::Id;

    fn user_id(&self) -> Option<T::Id> {
        self.0.user_id()
    }
}

impl RequestArgument for RealIp {}
impl RequestArgument for RemoteAddr {}
impl RequestArgument for Request {}
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

impl layer::RequestParts for Request {
    fn peer(&self) -> Option<PeerAddr> {
        RequestPeer::peer(self)
    }

    fn headers(&self) -> &dyn RequestHeaders {
        self.headers()
    }

    fn method(&self) -> &str {
        self.method().as_str()
    }

    fn path(&self) -> &str {
        // A nested route cuts its prefix off the other one. The original of a request that a test has built is always `/`.
        match self.original_uri().path() {
            "/" => self.uri().path(),
            path => path,
        }
    }
}

impl layer::ResponseParts for Response {
    fn status(&self) -> u16 {
        self.status().as_u16()
    }

    fn set_status(&mut self, status: u16) {
        if let Ok(status) = StatusCode::from_u16(status) {
            self.set_status(status);
        }
    }

    fn has(&self, name: &'static str) -> bool {
        self.headers().contains_key(name)
    }

    fn append(&mut self, name: &'static str, value: &[u8]) {
        if let Ok(value) = HeaderValue::from_bytes(value) {
            self.headers_mut().append(HeaderName::from_static(name), value);
        }
    }

    fn is_answer(&self) -> bool {
        self.data::<Answered>().is_some()
    }

    fn is_grpc(&self) -> bool {
        grpc_type(self.headers()).is_some()
    }
}

/// The [`answer`](Rejection::answer) to the rejection: [`Limited`](Rejection::Limited) is 429 with `Retry-After` in whole seconds.
/// [`Unidentified`](Rejection::Unidentified) is 400. [`Unavailable`](Rejection::Unavailable) is 503 with `Retry-After: 1`. A
/// call that never passes gets no `Retry-After`.
///
/// So handlers return `Result<_, Rejection>`, or `poem::Result<_>`, whose error contains the rejection:
/// `error.downcast_ref::<Rejection>()`.
impl ResponseError for Rejection {
    fn status(&self) -> StatusCode {
        status(self.answer().status)
    }

    fn as_response(&self) -> Response {
        let (parts, body) = refusal(self, None).into_parts();
        let parts = poem::ResponseParts {
            status: parts.status,
            version: parts.version,
            headers: parts.headers,
            extensions: parts.extensions,
        };
        Response::from_parts(parts, body.into())
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        self.as_response()
    }
}

impl From<Rejection> for Response {
    fn from(rejection: Rejection) -> Self {
        rejection.as_response()
    }
}

impl FromRejection for Response {
    fn from_rejection(rejection: Rejection) -> Self {
        rejection.as_response()
    }
}
