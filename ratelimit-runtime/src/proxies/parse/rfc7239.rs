//! Elements of `Forwarded` (RFC 7239): `for=192.0.2.1;proto=https, for="[2001:db8::1]:4711"`.

use super::{is_port, parse, trim};
use std::net::IpAddr;

/// Finds the last comma that is not in quotes.
///
/// The search begins at the end of the line, which counts as outside of quotes. Towards the left, a quote closes a string, and
/// the next quote that is not escaped opens it. If the line in fact ends inside of quotes, no comma is found, or the element
/// after the comma is malformed. In both cases the element has no address, which ends the search for the client.
pub(super) fn last_comma(line: &[u8]) -> Option<usize> {
    let mut quoted = false;
    for (at, byte) in line.iter().enumerate().rev() {
        match byte {
            b'"' => quoted = !quoted || is_escaped(&line[..at]),
            b',' if !quoted => return Some(at),
            _ => {}
        }
    }
    None
}

/// A character is escaped if the text before it ends with an odd number of backslashes.
fn is_escaped(before: &[u8]) -> bool {
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Reads the address in the parameter `for`. Returns `None` if the parameter is missing or occurs twice, or if any part of the
/// element is malformed. An address with escapes counts as malformed, because no proxy writes escapes there.
pub(super) fn address(element: &[u8]) -> Option<IpAddr> {
    let mut node = None;
    let mut rest = Some(element);
    while let Some(parameters) = rest {
        let (parameter, after) = parameter(trim(parameters))?;
        if let Some((name, value)) = parameter
            && name.eq_ignore_ascii_case(b"for")
            && node.replace(value).is_some()
        {
            return None;
        }
        rest = match trim(after) {
            [] => None,
            [b';', after @ ..] => Some(after),
            _ => return None,
        };
    }
    parse(node?, is_node_port)
}

/// The name and the value of a parameter. The value has no quotes around it, but still contains its escapes.
type Parameter<'a> = (&'a [u8], &'a [u8]);

/// Splits off the first parameter, and returns the rest of the text too. There is no parameter before a `;` and at the end of
/// the text. Returns `None` if the parameter is malformed.
fn parameter(text: &[u8]) -> Option<(Option<Parameter<'_>>, &[u8])> {
    if matches!(text, [] | [b';', ..]) {
        return Some((None, text));
    }
    let (name, after) = split_while(text, is_token);
    let value = after.strip_prefix(b"=").filter(|_| !name.is_empty())?;
    let (value, after) = match value.strip_prefix(b"\"") {
        Some(quoted) => {
            let end = closing_quote(quoted)?;
            (&quoted[..end], &quoted[end + 1..])
        }
        None => Some(split_while(value, is_plain)).filter(|(value, _)| !value.is_empty())?,
    };
    Some((Some((name, value)), after))
}

fn split_while(text: &[u8], is_part: fn(u8) -> bool) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !is_part(*byte)).unwrap_or(text.len());
    text.split_at(end)
}

/// Whether a token may contain a byte (RFC 9110, 5.6.2).
pub(in crate::proxies) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Whether a value without quotes may contain a byte. Many proxies omit the quotes around ports and brackets.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"\\,;".contains(&byte)
}

/// Finds the quote that closes a string.
fn closing_quote(quoted: &[u8]) -> Option<usize> {
    let mut escaped = false;
    quoted.iter().position(|byte| {
        let closes = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        closes
    })
}

/// A port number, or an obfuscated port such as `_http`.
fn is_node_port(text: &str) -> bool {
    let obfuscated = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    text.strip_prefix('_').map_or_else(|| is_port(text), obfuscated)
}
