//! The address of the client behind a connection.

use super::RateLimiter;
use crate::error::{Error, ErrorKind};
use crate::identity::{PeerAddr, RequestHeaders};
use std::net::IpAddr;

/// The error of `by = "ip"` without an address.
const NO_ADDRESS: &str =
    "the request has no client address; serve with `into_make_service_with_connect_info::<SocketAddr>()`";

impl RateLimiter {
    /// Returns the address of the client at the other end of a connection.
    ///
    /// # Errors
    ///
    /// If the peer is unknown or has no address.
    #[expect(clippy::unused_self, reason = "the settings of the limiter will choose the client")]
    pub(crate) fn resolve_client(
        &self,
        peer: Option<PeerAddr>,
        _headers: Option<&dyn RequestHeaders>,
    ) -> Result<IpAddr, Error> {
        peer.and_then(PeerAddr::ip).ok_or_else(|| Error::new(ErrorKind::Configuration, NO_ADDRESS))
    }
}
