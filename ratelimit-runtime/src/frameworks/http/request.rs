//! Peers and headers in the requests of the `http` crate.

use super::grpc_type;
use crate::__private::{RequestArgument, RequestPeer};
use crate::frameworks::EXTENSION_PEERS;
use crate::identity::{PeerAddr, RequestHeaders};
use crate::layer::RequestParts;
use http::request::Parts;
use http::{Extensions, HeaderMap, Request};

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

impl RequestArgument for HeaderMap {}
impl RequestArgument for Parts {}
impl<B> RequestArgument for Request<B> {}

impl<B> RequestParts for Request<B> {
    fn method(&self) -> &str {
        self.method().as_str()
    }

    fn path(&self) -> &str {
        self.uri().path()
    }
}
