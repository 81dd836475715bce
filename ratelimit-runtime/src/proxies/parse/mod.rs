//! Reads the entries of a forwarding header from the right.
//!
//! Proxies append entries on the right, and a client may write anything on the left. So an entry is found without a look at the
//! text on its left. An open quote that a client has sent does not affect an entry that a proxy has appended.

mod rfc7239;

pub(super) use rfc7239::is_token;

use std::net::{IpAddr, Ipv6Addr};

/// The maximum length of an entry in bytes. It bounds the work for a huge header.
const LONGEST_ENTRY: usize = 1024;

/// The syntax in which a header contains several entries on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Addresses with commas between them: `X-Forwarded-For`.
    List,
    /// The elements of RFC 7239: `Forwarded`.
    Rfc7239,
}

/// The addresses of the entries on a line, from the right. An entry without a usable address is `None`. An empty line has one
/// empty entry.
pub(crate) fn entries(syntax: Syntax, line: &[u8]) -> impl Iterator<Item = Option<IpAddr>> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest.take()?;
        // Searches one more byte, so that the comma before the longest entry is found.
        let start = line.len().saturating_sub(LONGEST_ENTRY + 1);
        let comma = match syntax {
            Syntax::List => line[start..].iter().rposition(|byte| *byte == b','),
            Syntax::Rfc7239 => rfc7239::last_comma(&line[start..]),
        };
        let entry = match comma.map(|comma| start + comma) {
            Some(comma) => {
                rest = Some(&line[..comma]);
                &line[comma + 1..]
            }
            None => line,
        };
        Some(address_of(syntax, entry))
    })
}

/// Reads the address of a header that has only one address: `CF-Connecting-IP`, `X-Real-IP`. `None` if the address is
/// malformed.
pub(crate) fn single(value: &[u8]) -> Option<IpAddr> {
    address_of(Syntax::List, value)
}

fn address_of(syntax: Syntax, entry: &[u8]) -> Option<IpAddr> {
    if entry.len() > LONGEST_ENTRY {
        return None;
    }
    match syntax {
        Syntax::List => parse(trim(entry), is_port),
        Syntax::Rfc7239 => rfc7239::address(entry),
    }
}

/// Removes spaces and tabs on both sides.
fn trim(text: &[u8]) -> &[u8] {
    let is_text = |byte: &u8| !matches!(byte, b' ' | b'\t');
    let start = text.iter().position(is_text).unwrap_or(text.len());
    let end = text.iter().rposition(is_text).map_or(start, |last| last + 1);
    &text[start..end]
}

/// Reads `1.2.3.4`, `1.2.3.4:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`, and unmaps a mapped IPv4 address.
///
/// A bare IPv6 address has no port, so it is never cut at a colon. The zone of an IPv6 address is dropped, because only the
/// machine that wrote it knows its meaning.
fn parse(text: &[u8], is_port: fn(&str) -> bool) -> Option<IpAddr> {
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

fn is_port(text: &str) -> bool {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits && text.len() <= 5 && text.parse::<u16>().is_ok()
}
