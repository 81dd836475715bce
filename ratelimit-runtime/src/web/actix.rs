//! actix-web support: client addresses, headers and users from its types, and rejections as responses and errors.

use crate::__private::{RequestArgument, RequestPeer, callers};
use crate::answer::Answered;
use crate::identity::{ClientIp, PeerAddr, RequestHeaders, UserId};
use crate::layer;
use crate::rejection::{FromRejection, Rejection};
use actix_web::body::BoxBody;
use actix_web::dev::{self, ServiceRequest};
use actix_web::error::InternalError;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use actix_web::{FromRequest, HttpMessage, HttpRequest, HttpResponse, Responder, ResponseError, web};
use std::net::IpAddr;

/// The other end of the connection: the `PeerAddr` that a middleware has put into the request's extensions, else the one that
/// `HttpServer::on_connect` has put into the connection's data, else the address of the socket. A unix socket has none.
///
/// It never comes from `ConnectionInfo`, which believes headers that any client can send.
impl RequestPeer for HttpRequest {
    fn peer(&self) -> Option<PeerAddr> {
        let extended = self.extensions().get::<PeerAddr>().copied();
        let connected = || self.conn_data::<PeerAddr>().copied();
        extended.or_else(connected).or_else(|| self.peer_addr().map(PeerAddr::from))
    }

    fn headers(&self) -> Option<&dyn RequestHeaders> {
        Some(self.headers())
    }
}

impl RequestPeer for ServiceRequest {
    fn peer(&self) -> Option<PeerAddr> {
        RequestPeer::peer(self.request())
    }

    fn headers(&self) -> Option<&dyn RequestHeaders> {
        Some(self.headers())
    }
}

impl RequestPeer for dev::PeerAddr {
    fn peer(&self) -> Option<PeerAddr> {
        Some(self.0.into())
    }
}

/// The client that a middleware has put into the request's extensions.
impl<T: ClientIp + Clone> ClientIp for web::ReqData<T> {
    fn client_ip(&self) -> Option<IpAddr> {
        (**self).client_ip()
    }
}

impl RequestHeaders for HeaderMap {
    /// The value of the header. `None` if the header occurs more than once.
    fn header(&self, name: &str) -> Option<&[u8]> {
        let mut values = self.get_all(name);
        let value = values.next()?;
        values.next().is_none().then(|| value.as_bytes())
    }

    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.get_all(name).for_each(|value| line(value.as_bytes()));
    }
}

impl RequestHeaders for HttpRequest {
    fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers().header(name)
    }

    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.headers().header_lines(name, line);
    }
}

impl RequestHeaders for ServiceRequest {
    fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers().header(name)
    }

    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.headers().header_lines(name, line);
    }
}

/// The user that a middleware has put into the request's extensions.
impl<T: UserId + Clone> UserId for web::ReqData<T> {
    type Id = T::Id;

    fn user_id(&self) -> Option<T::Id> {
        (**self).user_id()
    }
}

/// A header whose type says which user it proves.
impl<T: UserId> UserId for web::Header<T> {
    type Id = T::Id;

    fn user_id(&self) -> Option<T::Id> {
        self.0.user_id()
    }
}

impl RequestArgument for HttpRequest {}
impl RequestArgument for ServiceRequest {}
impl RequestArgument for HeaderMap {}
impl RequestArgument for dev::ConnectionInfo {}
impl RequestArgument for dev::PeerAddr {}
impl RequestArgument for web::Payload {}
impl<T: ?Sized> RequestArgument for web::Data<T> {}
impl<T> RequestArgument for web::Form<T> {}
impl<T> RequestArgument for web::Header<T> {}
impl<T> RequestArgument for web::Json<T> {}
impl<T> RequestArgument for web::Path<T> {}
impl<T> RequestArgument for web::Query<T> {}
impl<T: Clone + 'static> RequestArgument for web::ReqData<T> {}
impl<T> RequestArgument for web::ThinData<T> {}

callers! {
    ArgumentOf [&&&&&&&] if FromRequest => OfClients;
    ReturnOf [&&&&&&&] if Responder => OfClients;
}

impl layer::RequestParts for ServiceRequest {
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
        self.path()
    }
}

impl<B> layer::ResponseParts for HttpResponse<B> {
    fn status(&self) -> u16 {
        self.status().as_u16()
    }

    fn set_status(&mut self, status: u16) {
        if let Ok(status) = StatusCode::from_u16(status) {
            *self.status_mut() = status;
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
        self.extensions().get::<Answered>().is_some()
    }

    fn is_grpc(&self) -> bool {
        let content_type = self.headers().get(CONTENT_TYPE);
        content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"))
    }
}

/// [`Limited`](Rejection::Limited) is 429 with `Retry-After` in whole seconds. [`Unidentified`](Rejection::Unidentified) is
/// 400. [`Unavailable`](Rejection::Unavailable) is 503 with `Retry-After: 1`. A call that never passes gets no
/// `Retry-After`.
///
/// So `Result<_, Rejection>` and `Result<_, actix_web::Error>` are responses of limited handlers.
impl ResponseError for Rejection {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.status()).unwrap_or(StatusCode::SERVICE_UNAVAILABLE)
    }

    fn error_response(&self) -> HttpResponse {
        let answer = self.answer();
        let status = StatusCode::from_u16(answer.status).unwrap_or_else(|_| self.status_code());
        let mut response = HttpResponse::with_body(status, BoxBody::new(answer.body));
        if let Ok(content_type) = HeaderValue::from_str(&answer.content_type) {
            response.headers_mut().insert(CONTENT_TYPE, content_type);
        }
        if let Some(seconds) = answer.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(Answered);
        response
    }
}

/// The response contains the rejection as its `error()`.
impl From<Rejection> for HttpResponse {
    fn from(rejection: Rejection) -> Self {
        Self::from_error(rejection)
    }
}

impl FromRejection for HttpResponse {
    fn from_rejection(rejection: Rejection) -> Self {
        rejection.into()
    }
}

impl Responder for Rejection {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        self.into()
    }
}

/// The response is that of the rejection. The cause is the error of the handler.
impl<T: From<Rejection>> From<Rejection> for InternalError<T> {
    fn from(rejection: Rejection) -> Self {
        let response = rejection.error_response();
        Self::from_response(T::from(rejection), response)
    }
}
