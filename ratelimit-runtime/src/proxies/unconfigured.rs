//! Recognises a proxy that nobody has configured, so that it can be reported.

use crate::identity::{PeerAddr, RequestHeaders};
use std::net::IpAddr;

const FORWARDING_HEADERS: [&str; 3] = ["x-forwarded-for", "forwarded", "x-real-ip"];

/// The forwarding header that a proxy in the own network has sent. A client elsewhere can send such a header too, so it proves
/// nothing there.
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

/// Whether an address is a private, shared, link-local or loopback address.
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
