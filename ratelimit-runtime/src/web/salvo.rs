//! salvo support: peers and headers from salvo's types, and rejections as responses and errors.

use crate::__private::{RejectionTarget, RequestArgument, RequestPeer, callers};
use crate::answer::Answered;
use crate::identity::{PeerAddr, RequestHeaders};
use crate::layer;
use crate::rejection::{FromRejection, Rejection};
use crate::web::http::{grpc_type, refusal, status};
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderName, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use salvo_core::conn::SocketAddr;
use salvo_core::extract::{
    Extractible, FormBody, FormFile, FormFiles, HeaderParam, JsonBody, PathParam, QueryParam,
};
use salvo_core::http::{ResBody, StatusError};
use salvo_core::routing::FlowCtrl;
use salvo_core::{ConnCtrl, Depot, Request, Response, Scribe};

/// The [`PeerAddr`] that a middleware or a test has put into the request, else the other end of the connection.
///
/// A middleware that changes `remote_addr` changes the peer, too: use `trusted_proxies` of the limiter instead.
impl RequestPeer for Request {
    fn peer(&self) -> Option<PeerAddr> {
        self.extensions().get::<PeerAddr>().copied().or_else(|| self.remote_addr().peer())
    }

    fn headers(&self) -> Option<&dyn RequestHeaders> {
        Some(self.headers())
    }
}

/// The address of the socket. A request that no connection has brought has none.
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

impl RequestHeaders for Request {
    fn header(&self, name: &str) -> Option<&[u8]> {
        RequestHeaders::header(self.headers(), name)
    }

    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.headers().header_lines(name, line);
    }
}

impl RequestArgument for ConnCtrl {}
impl RequestArgument for Depot {}
impl RequestArgument for FlowCtrl {}
impl RequestArgument for Request {}
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
        self.uri().path()
    }
}

impl layer::ResponseParts for Response {
    /// The status that the response will be sent with: a handler need not set one.
    fn status(&self) -> u16 {
        let status = self.status_code.unwrap_or(match &self.body {
            ResBody::Error(error) => error.code,
            _ => StatusCode::OK,
        });
        status.as_u16()
    }

    fn set_status(&mut self, status: u16) {
        let Ok(status) = StatusCode::from_u16(status) else { return };
        self.status_code = Some(status);
        if let ResBody::Error(error) = &mut self.body
            && let Some(right) = StatusError::from_code(status)
        {
            // The catcher writes these into the body.
            (error.code, error.name, error.brief) = (status, right.name, right.brief);
        }
    }

    fn has(&self, name: &'static str) -> bool {
        self.headers.contains_key(name)
    }

    fn append(&mut self, name: &'static str, value: &[u8]) {
        if let Ok(value) = HeaderValue::from_bytes(value) {
            self.headers.append(HeaderName::from_static(name), value);
        }
    }

    fn is_answer(&self) -> bool {
        self.extensions.get::<Answered>().is_some()
    }

    fn is_grpc(&self) -> bool {
        grpc_type(&self.headers).is_some()
    }
}

/// The [`answer`](Rejection::answer) to the rejection: [`Limited`](Rejection::Limited) is 429 with `Retry-After` in whole seconds.
/// [`Unidentified`](Rejection::Unidentified) is 400. [`Unavailable`](Rejection::Unavailable) is 503 with `Retry-After: 1`. A
/// call that never passes gets no `Retry-After`.
///
/// It replaces the body that earlier handlers have written. So handlers return `Result<_, Rejection>`, and an error type of the
/// application renders the rejection that it contains: `res.render(rejection)`.
impl Scribe for Rejection {
    fn render(self, response: &mut Response) {
        let (parts, body) = refusal(&self, None).into_parts();
        response.status_code = Some(parts.status);
        // They may describe the body that is replaced.
        for name in [CONTENT_ENCODING, CONTENT_LENGTH, RETRY_AFTER] {
            response.headers.remove(name);
        }
        response.headers.extend(parts.headers);
        response.extensions.extend(parts.extensions);
        // The catcher replaces a body that is `None`.
        response.body = ResBody::Once(body.into());
    }
}

/// A refused handler without a return value answers through its argument `res: &mut Response`.
impl RejectionTarget for Response {
    fn write_rejection(&mut self, rejection: Rejection) {
        rejection.render(self);
    }
}

impl From<Rejection> for Response {
    fn from(rejection: Rejection) -> Self {
        let mut response = Self::new();
        rejection.render(&mut response);
        response
    }
}

impl FromRejection for Response {
    fn from_rejection(rejection: Rejection) -> Self {
        rejection.into()
    }
}

/// The status of the [`answer`](Rejection::answer), and the text of the rejection, from which the catcher makes the body. `Retry-After`
/// is added by [`RateLimitLayer`](crate::RateLimitLayer). The cause is the rejection, so that a catcher of the application can find
/// it: `Rejection::find(&error)`.
impl From<Rejection> for StatusError {
    fn from(rejection: Rejection) -> Self {
        let of_answer = Self::from_code(status(rejection.answer().status));
        let error = of_answer.or_else(|| Self::from_code(status(rejection.status())));
        let error = error.unwrap_or_else(Self::service_unavailable);
        error.brief(rejection.to_string()).cause(rejection)
    }
}
