//! The messages of errors about client addresses. They contain no address.

use crate::error::{Error, ErrorKind};
use crate::identity::{PeerAddr, RequestHeaders};
use std::borrow::Cow;
use std::net::IpAddr;

pub(super) fn configuration(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Configuration, message)
}

/// The message for a request whose peer is not known.
pub(super) const NO_PEER: &str = "the request has no client address; with axum 0.8, serve with `into_make_service_with_connect_info::<SocketAddr>()`; elsewhere, put a `ratelimit::identity::PeerAddr` into its extensions";

/// The message for a request from a trusted proxy, if the call has no access to the headers that name the client.
pub(super) const NO_HEADERS: &str = "the call sees a trusted proxy, but not the headers that name the client behind it; add `HeaderMap` (or the request) to the arguments, or `RateLimitLayer` to the service";

/// The message for a request on a unix socket that is not trusted.
pub(super) const UNIX_SOCKET: &str = "the connection is a unix socket, which has no client address; if a proxy uses it, add \"unix\" to `trusted_proxies`";

/// Creates the error of a request on a trusted unix socket whose header `header` does not name a client.
pub(super) fn nameless_proxy(header: &str) -> Error {
    configuration(format!(
        "the proxy on the unix socket does not name the client; let it send `{header}`, or write in `forwarded_by` which header it sends"
    ))
}

pub(super) const FORWARDING_HEADERS: [&str; 3] = ["x-forwarded-for", "forwarded", "x-real-ip"];

/// Finds a forwarding header in a request whose peer has a local address, such as a proxy in the same network. Any client can
/// send such a header, so the header of a peer with another address proves nothing.
pub(super) fn forwarding_header(peer: PeerAddr, headers: &dyn RequestHeaders) -> Option<&'static str> {
    if !peer.ip().is_some_and(is_local) {
        return None;
    }
    let is_present = |name: &&str| {
        let mut present = false;
        headers.header_lines(name, &mut |_| present = true);
        present
    };
    FORWARDING_HEADERS.into_iter().find(is_present)
}

pub(super) fn warn(header: &str) {
    tracing::warn!(
        header,
        "requests come through a proxy that is not trusted, so all clients of this proxy share one limit: \
         name the proxy with `.trusted_proxies(..)` on the limiter's builder"
    );
}

/// Whether an address is private, shared, link-local or loopback.
fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            let is_shared = a == 100 && b & 0xc0 == 64; // 100.64.0.0/10, which many clouds give to their proxies
            v4.is_private() || v4.is_loopback() || v4.is_link_local() || is_shared
        }
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}
