//! Peers and headers in the requests of the `http` crate.

use super::grpc_type;
use crate::__private::RequestArgument;
use crate::frameworks::{EXTENSION_PEERS, request_type};
use crate::identity::{PeerAddr, RequestHeaders};
use http::request::Parts;
use http::{Extensions, HeaderMap, Request};

request_type! {
    [B] Request<B>, |request| {
        headers: request.headers(),
        peer: peer(request.extensions()),
        method: request.method().as_str(),
        path: request.uri().path(),
    }
}

request_type! {
    [] Parts, |request| {
        headers: &request.headers,
        peer: peer(&request.extensions),
    }
}

/// The peer in the extensions of a request. A [`PeerAddr`] takes precedence, because a listener that reads the PROXY protocol
/// sets it beside the address of the socket.
pub(in crate::frameworks) fn peer(extensions: &Extensions) -> Option<PeerAddr> {
    let peer = extensions.get::<PeerAddr>().copied();
    peer.or_else(|| EXTENSION_PEERS.iter().find_map(|peer| peer(extensions)))
}

impl RequestHeaders for HeaderMap {
    /// The value of the header. `None` if the header occurs more than once, and for the binary headers of gRPC (`-bin`), because
    /// one binary value has several spellings on the wire.
    fn header(&self, name: &str) -> Option<&[u8]> {
        if name.ends_with("-bin") && grpc_type(self).is_some() {
            return None;
        }
        let mut values = self.get_all(name).iter();
        let value = values.next()?;
        values.next().is_none().then(|| value.as_bytes())
    }

    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.get_all(name).iter().for_each(|value| line(value.as_bytes()));
    }
}

impl RequestArgument for HeaderMap {}
