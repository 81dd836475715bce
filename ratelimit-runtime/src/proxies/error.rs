//! The words of errors about client addresses. They contain no address.

use super::Header;
use crate::error::{Error, ErrorKind};
use std::borrow::Cow;

pub(super) fn configuration(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Configuration, message)
}

/// The request does not say who is at the other end of its connection.
pub(super) fn no_peer() -> Error {
    configuration(
        "the request has no client address; with axum 0.8, serve with `into_make_service_with_connect_info::<SocketAddr>()`; elsewhere, put a `ratelimit::identity::PeerAddr` into its extensions",
    )
}

/// The peer is a trusted proxy, and the headers, which name the client, are not at hand.
pub(super) fn no_headers() -> Error {
    configuration(
        "the call sees a trusted proxy, but not the headers that name the client behind it; add `HeaderMap` (or the request) to the arguments, or `RateLimitLayer` to the service",
    )
}

/// The peer is a unix socket that nobody trusts.
pub(super) fn unix_socket() -> Error {
    configuration(
        "the connection is a unix socket, which has no client address; if a proxy uses it, add \"unix\" to `trusted_proxies`",
    )
}

/// The peer is a trusted unix socket, and the header of its request names nobody.
pub(super) fn nameless_proxy(header: &Header) -> Error {
    let name = header.name();
    configuration(format!(
        "the proxy on the unix socket does not name the client; let it send `{name}`, or write in `forwarded_by` which header it sends"
    ))
}
