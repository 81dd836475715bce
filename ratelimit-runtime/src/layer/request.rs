//! `RequestParts`: what a layer reads from a request of any framework.

use crate::identity::{PeerAddr, RequestHeaders};

/// What a layer reads from a request. Each framework implements it for its request type.
pub(crate) trait RequestParts {
    /// The other end of the connection. `None` if the server does not say.
    fn peer(&self) -> Option<PeerAddr>;

    /// The headers.
    fn headers(&self) -> &dyn RequestHeaders;

    /// The method, such as `GET`.
    fn method(&self) -> &str;

    /// The path of the URL, without the query, as the client has sent it.
    fn path(&self) -> &str;
}
