//! Elements of `Forwarded` (RFC 7239): `for=192.0.2.1;proto=https, for="[2001:db8::1]:4711"`.

use super::{is_port, parse, trim};
use std::net::IpAddr;

/// Finds the last comma that is not in quotes.
///
/// The end of a line is not in quotes. From there to the left, a quote closes a string, and the next one that is not escaped
/// opens it. A line that ends in quotes has no such comma, or one whose element is malformed: both end the walk.
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

/// Whether the character after this text is escaped: the text ends with an odd number of backslashes.
fn is_escaped(before: &[u8]) -> bool {
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Reads the address in the parameter `for`. Returns `None` if the parameter is missing or occurs twice, or if any part of the
/// element is malformed. An address with escapes is malformed, because no proxy writes them there.
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

/// A name, and a value without its quotes, but with its escapes.
type Parameter<'a> = (&'a [u8], &'a [u8]);

/// Splits the first parameter off. There is none before `;` and at the end. `None` if it is malformed.
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

/// Whether a byte may stand in a token (RFC 9110, 5.6.2).
pub(in crate::proxies) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Whether a byte may stand in a value without quotes. Many proxies omit the quotes around ports and brackets.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"\\,;".contains(&byte)
}

/// The place of the quote that closes a string.
fn closing_quote(quoted: &[u8]) -> Option<usize> {
    let mut escaped = false;
    quoted.iter().position(|byte| {
        let closes = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        closes
    })
}

/// Whether a text is a port number, or an obfuscated port such as `_http`.
fn is_node_port(text: &str) -> bool {
    let obfuscated = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    text.strip_prefix('_').map_or_else(|| is_port(text), obfuscated)
}
