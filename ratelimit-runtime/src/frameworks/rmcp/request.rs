//! Finds clients and headers in the arguments of tools and prompts. rmcp stores the head of the HTTP request in the context of
//! each call. A call over another transport, such as standard input, has no such head.

use crate::__private::{RequestArgument, RequestPeer};
use crate::identity::{ClientIp, PeerAddr, RequestHeaders, UserId};
use http::request::Parts;
use rmcp::RoleServer;
use rmcp::handler::server::common::Extension;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::Extensions;
use rmcp::service::RequestContext;
use std::net::IpAddr;

/// The peer is the [`PeerAddr`] that the server has put beside the request, else the peer of the HTTP request.
impl RequestPeer for Extensions {
    fn peer(&self) -> Option<PeerAddr> {
        self.get().copied().or_else(|| self.get::<Parts>()?.peer())
    }

    fn headers(&self) -> Option<&dyn RequestHeaders> {
        self.get::<Parts>()?.headers()
    }
}

impl RequestHeaders for Extensions {
    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        if let Some(parts) = self.get::<Parts>() {
            parts.headers.header_lines(name, line);
        }
    }
}

/// Passes a question on to the part of an argument that has the request, or the value of the application.
macro_rules! part {
    ($([$($generics:tt)*] $trait:ident for $type:ty, $part:tt => {
        $(type $found:ident;)?
        $(fn $name:ident $(<$life:lifetime>)? (& $($of:lifetime)? $this:ident $(, $argument:ident: $kind:ty)*) $(-> $result:ty)?;)+
    })+) => {$(
        impl<$($generics)*> $trait for $type {
            $(type $found = T::$found;)?

            $(fn $name $(<$life>)? (& $($of)? $this $(, $argument: $kind)*) $(-> $result)? {
                $this.$part.$name($($argument),*)
            })+
        }
    )+};
}

part! {
    [] RequestPeer for RequestContext<RoleServer>, extensions => {
        fn peer(&self) -> Option<PeerAddr>;
        fn headers(&self) -> Option<&dyn RequestHeaders>;
    }
    [] RequestHeaders for RequestContext<RoleServer>, extensions => {
        fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8]));
    }
    [T: RequestPeer] RequestPeer for Extension<T>, 0 => {
        fn peer(&self) -> Option<PeerAddr>;
        fn headers(&self) -> Option<&dyn RequestHeaders>;
    }
    [T: RequestHeaders] RequestHeaders for Extension<T>, 0 => {
        fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8]));
    }
    [T: ClientIp] ClientIp for Extension<T>, 0 => { fn client_ip(&self) -> Option<IpAddr>; }
    [T: UserId] UserId for Extension<T>, 0 => { type Id; fn user_id(&self) -> Option<T::Id>; }
}

impl RequestArgument for RequestContext<RoleServer> {}
impl<T> RequestArgument for Extension<T> {}
impl<T> RequestArgument for Parameters<T> {}
