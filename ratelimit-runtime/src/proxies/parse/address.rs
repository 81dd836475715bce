//! Reads one address, with or without a port.

use std::net::{IpAddr, Ipv6Addr};

/// Reads `1.2.3.4`, `1.2.3.4:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`, and unmaps a mapped IPv4 address.
///
/// A bare IPv6 address has no port, so it is never cut at a colon. The zone of an IPv6 address is dropped, because it means
/// something only on the machine that wrote it.
pub(super) fn parse(text: &[u8], is_port: fn(&str) -> bool) -> Option<IpAddr> {
    let text = std::str::from_utf8(text).ok()?;
    let (address, port) = if let Some(bracketed) = text.strip_prefix('[') {
        let (address, after) = bracketed.split_once(']')?;
        let port = if after.is_empty() { None } else { Some(after.strip_prefix(':')?) };
        (ipv6(address)?, port)
    } else {
        match text.split_once(':') {
            None => (IpAddr::V4(text.parse().ok()?), None),
            Some((address, port)) if !port.contains(':') => (IpAddr::V4(address.parse().ok()?), Some(port)),
            Some(_) => (ipv6(text)?, None),
        }
    };
    port.is_none_or(is_port).then(|| address.to_canonical())
}

fn ipv6(text: &str) -> Option<IpAddr> {
    let address: Ipv6Addr = match text.split_once('%') {
        None => text.parse().ok()?,
        Some((_, "")) => return None,
        Some((address, _zone)) => address.parse().ok()?,
    };
    Some(IpAddr::V6(address))
}

/// Whether a text is a port number.
pub(super) fn is_port(text: &str) -> bool {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits && text.len() <= 5 && text.parse::<u16>().is_ok()
}
