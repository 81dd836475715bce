//! `RequestParts`: what a layer reads from a request of any framework.

use crate::__private::RequestPeer;
use crate::identity::RequestHeaders;

/// The parts of a request that a layer reads, beside its peer and its headers. Each framework implements it for its request type.
pub(crate) trait RequestParts: RequestPeer + RequestHeaders {
    /// The method, such as `GET`.
    fn method(&self) -> &str;

    /// The path of the URL, without the query, as the client has sent it.
    fn path(&self) -> &str;
}
