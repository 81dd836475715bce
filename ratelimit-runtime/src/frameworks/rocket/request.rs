//! Finds peers, headers and users in the requests and guards of rocket.
//!
//! rocket's `IpAddr` guard and `Request::client_ip` read a header that anybody can send, so nothing here uses them.

use crate::__private::{RequestArgument, RequestPeer, callers};
use crate::frameworks::request_type;
use crate::identity::{PeerAddr, RequestHeaders};
use crate::macros::opaque;
use rocket::data::FromData;
use rocket::form::Form;
use rocket::http::uri::{Host, Origin};
use rocket::http::{ContentType, CookieJar, HeaderMap};
use rocket::request::{FromRequest, Outcome};
use rocket::response::Responder;
use rocket::{Data, Request, State};
use std::convert::Infallible;

request_type! {
    [] Request<'_>, |request| {
        headers: request.headers(),
        peer: request.remote().map(PeerAddr::from),
        method: request.method().as_str(),
        path: request.uri().path().as_str(),
    }
}

impl RequestHeaders for HeaderMap<'_> {
    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.get(name).for_each(|value| line(value.as_bytes()));
    }
}

impl RequestArgument for HeaderMap<'_> {}
impl RequestArgument for CookieJar<'_> {}
impl RequestArgument for ContentType {}
impl RequestArgument for Data<'_> {}
impl RequestArgument for Host<'_> {}
impl RequestArgument for Origin<'_> {}
impl<T> RequestArgument for Form<T> {}
impl<T: Send + Sync + 'static> RequestArgument for State<T> {}

callers! {
    ArgumentOf [&&&&&] for<'r> if FromRequest<'r> => OfClients;
    ArgumentOf [&&&&] for<'r> if FromData<'r> => OfClients;
    ReturnOf [&&&&&] for<'r> if Responder<'r, 'r> => OfClients;
}

/// The peer and the headers of a request, as a guard of rocket's handlers.
///
/// Add it to the arguments of a handler that `by = "ip"` or `by = "header:.."` limits. rocket itself has no guard for headers,
/// and a client behind a proxy cannot be identified without headers.
///
/// ```
/// use ratelimit::rocket::RequestHead;
/// use ratelimit::{Rejection, rate_limit};
/// use rocket::get;
///
/// #[get("/search")]
/// #[rate_limit(count = 30, by = "ip")]
/// #[rate_limit(time = "1h", count = 1000, by = "header:x-api-key")]
/// async fn search(head: RequestHead<'_>) -> Result<&'static str, Rejection> {
///     Ok("found")
/// }
/// ```
///
/// The guard borrows from the request, never fails, and costs nothing. The peer is the other end of the connection, as in
/// rocket's `SocketAddr` guard. It is not the address of rocket's `IpAddr` guard, which reads `X-Real-IP` from anybody. With
/// `by = "ip"`, the guard identifies the client behind trusted proxies. Elsewhere, use
/// [`RateLimiter::client_ip`](crate::RateLimiter::client_ip).
///
/// rocket drops header lines that are not UTF-8, so the guard does not have them.
#[derive(Clone, Copy)]
pub struct RequestHead<'r> {
    peer: Option<PeerAddr>,
    headers: &'r HeaderMap<'r>,
}

impl<'r> RequestHead<'r> {
    /// The other end of the connection: a client or a proxy. `None` for a request of rocket's local client without a `remote`.
    pub fn peer(&self) -> Option<PeerAddr> {
        self.peer
    }

    /// The headers.
    pub fn headers(&self) -> &'r HeaderMap<'r> {
        self.headers
    }
}

#[rocket::async_trait]
impl<'r> FromRequest<'r> for RequestHead<'r> {
    type Error = Infallible;

    async fn from_request(request: &'r Request<'_>) -> Outcome<Self, Infallible> {
        Outcome::Success(Self { peer: RequestPeer::peer(request), headers: request.headers() })
    }
}

request_type! {
    [] RequestHead<'_>, |request| {
        headers: request.headers,
        peer: request.peer,
    }
}

opaque! {
    /// Prints no header, because some are secret.
    RequestHead<'_>, |this| peer = this.peer
}
