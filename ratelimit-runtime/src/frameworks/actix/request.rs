//! Finds client addresses, headers and users in the requests and extractors of actix-web.

use crate::__private::{RequestArgument, RequestPeer, callers};
use crate::frameworks::request_type;
use crate::identity::{ClientIp, PeerAddr, RequestHeaders, UserId};
use crate::macros::delegate;
use actix_web::dev::{self, ServiceRequest};
use actix_web::http::header::HeaderMap;
use actix_web::{FromRequest, HttpMessage, HttpRequest, Responder, web};
use std::net::IpAddr;

request_type! {
    /// The peer is the first of these that exists: the `PeerAddr` that a middleware has put into the request's extensions, the
    /// `PeerAddr` that `HttpServer::on_connect` has put into the connection's data, or the address of the socket. A unix socket
    /// has no address.
    ///
    /// It never comes from `ConnectionInfo`, which trusts headers that any client can send.
    [] HttpRequest, |request| {
        headers: request.headers(),
        peer: {
            let extended = request.extensions().get::<PeerAddr>().copied();
            let connected = || request.conn_data::<PeerAddr>().copied();
            extended.or_else(connected).or_else(|| request.peer_addr().map(PeerAddr::from))
        },
    }
}

request_type! {
    [] ServiceRequest, |request| {
        headers: request.headers(),
        peer: RequestPeer::peer(request.request()),
        method: request.method().as_str(),
        path: request.path(),
    }
}

impl RequestPeer for dev::PeerAddr {
    fn peer(&self) -> Option<PeerAddr> {
        Some(self.0.into())
    }
}

// Finds the client and the user that a middleware has put into the request's extensions.
delegate! { impl [T: ClientIp + Clone] ClientIp for web::ReqData<T> => { fn client_ip(&self) -> Option<IpAddr>; } }
delegate! { impl [T: UserId + Clone] UserId for web::ReqData<T> => { type Id; fn user_id(&self) -> Option<T::Id>; } }

// Finds the user in a header whose type knows the user.
delegate! { impl [T: UserId] UserId for web::Header<T> => { type Id; fn user_id(&self) -> Option<T::Id>; } }

impl RequestHeaders for HeaderMap {
    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.get_all(name).for_each(|value| line(value.as_bytes()));
    }
}

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
