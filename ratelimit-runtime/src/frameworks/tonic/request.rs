//! Finds peers and metadata in the requests of tonic.

use crate::__private::RequestArgument;
use crate::frameworks::request_type;
use crate::identity::{PeerAddr, RequestHeaders};
use http::Extensions;
use tonic::Request;
use tonic::metadata::{MetadataMap, MetadataValue};
use tonic::transport::server::TcpConnectInfo;

request_type! {
    [T] Request<T>, |request| {
        headers: request.metadata(),
        peer: crate::frameworks::peer(request.extensions()),
    }
}

impl RequestHeaders for MetadataMap {
    /// Binary metadata (`-bin`) is left out, because the same binary value has several spellings on the wire.
    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
        self.get_all(name).iter().for_each(|value| line(MetadataValue::as_bytes(value)));
    }
}

impl RequestArgument for MetadataMap {}

pub(in crate::frameworks) fn peer(extensions: &Extensions) -> Option<PeerAddr> {
    if let Some(connection) = extensions.get::<TcpConnectInfo>() {
        return connection.remote_addr().map(PeerAddr::from);
    }
    #[cfg(unix)]
    if extensions.get::<tonic::transport::server::UdsConnectInfo>().is_some() {
        return Some(PeerAddr::Unix);
    }
    // The type of tonic's TLS information depends on its features, so only tonic's own request can read it.
    Request::from_parts(MetadataMap::new(), extensions.clone(), ()).remote_addr().map(PeerAddr::from)
}
