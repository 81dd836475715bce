//! Reads the entries of a forwarding header from the right.
//!
//! Proxies append to the right, and a client writes what is on the left. So an entry is found by looking at nothing on its
//! left, and an open quote that a client has sent does not reach into the entry that a proxy has appended.

mod address;
mod rfc7239;

use std::net::IpAddr;

/// The length of the longest entry that is read, in bytes, so that a huge header costs no more than a long one.
const LONGEST_ENTRY: usize = 1024;

/// How a header writes several entries on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Addresses with commas between them: `X-Forwarded-For`.
    List,
    /// The elements of RFC 7239: `Forwarded`.
    Rfc7239,
}

/// The entries of a line from the right. An entry without a usable address is `None`.
pub(crate) struct Entries<'a> {
    syntax: Syntax,
    rest: Option<&'a [u8]>,
}

/// Reads the entries of a line. An empty line has one entry, which is empty.
pub(crate) fn entries(syntax: Syntax, line: &[u8]) -> Entries<'_> {
    Entries { syntax, rest: Some(line) }
}

/// Reads the address of a header that has only one: `CF-Connecting-IP`, `X-Real-IP`.
pub(crate) fn single(value: &[u8]) -> Option<IpAddr> {
    address_of(Syntax::List, value)
}

impl Iterator for Entries<'_> {
    type Item = Option<IpAddr>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.rest.take()?;
        // Looks at one byte more, so that the comma before the longest entry is found.
        let start = line.len().saturating_sub(LONGEST_ENTRY + 1);
        let comma = match self.syntax {
            Syntax::List => line[start..].iter().rposition(|byte| *byte == b','),
            Syntax::Rfc7239 => rfc7239::last_comma(&line[start..]),
        };
        let entry = match comma.map(|comma| start + comma) {
            Some(comma) => {
                self.rest = Some(&line[..comma]);
                &line[comma + 1..]
            }
            None => line,
        };
        Some(address_of(self.syntax, entry))
    }
}

fn address_of(syntax: Syntax, entry: &[u8]) -> Option<IpAddr> {
    if entry.len() > LONGEST_ENTRY {
        return None;
    }
    match syntax {
        Syntax::List => address::parse(trim(entry), address::is_port),
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
