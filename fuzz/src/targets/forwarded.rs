//! Fuzz target `forwarded`: reads forwarding headers. Text that a client writes to the left of a proxy's entry must not change
//! the result. A text that is read as an address must also be an address for the standard library.

use ratelimit::__testing::{forwarded_address, forwarded_entries};
use std::net::{IpAddr, SocketAddr};

/// The maximum length of a text in bytes, because much longer entries are not read.
const LONGEST: usize = 256;

const CLIENT: &str = "203.0.113.7";

pub(super) fn run(text: &str) {
    if text.len() > LONGEST {
        return;
    }
    // A quoted string can contain any text.
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
    let around = format!("host=\"{quoted}\";for={CLIENT};secret=\"{quoted}\"");
    for (is_rfc7239, entry) in [
        (false, CLIENT),
        (false, "\t[::ffff:203.0.113.7]:80 "),
        (true, "for=203.0.113.7"),
        (true, around.as_str()),
    ] {
        let left: Vec<Option<IpAddr>> = forwarded_entries(is_rfc7239, text.as_bytes()).collect();
        let line = format!("{text},{entry}");
        let mut found = forwarded_entries(is_rfc7239, line.as_bytes());
        assert!(found.next() == Some(CLIENT.parse().ok()), "{line:?}: the last entry is not {CLIENT}");
        assert!(found.eq(left), "{line:?}: the last entry changes the entries on its left");
    }
    if !text.contains('%') {
        let (found, expected) =
            (forwarded_address(text.as_bytes()), definition(text.trim_matches([' ', '\t'])));
        assert!(found == expected, "{text:?} is read as {found:?}, expected {expected:?}");
    }
}

/// Returns the address in a text that has no zone. `None` if the text is not an address.
fn definition(text: &str) -> Option<IpAddr> {
    let bare = || text.parse().ok();
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok().map(IpAddr::V6);
    let with_port = || {
        let (_, port) = text.rsplit_once(':')?;
        text.parse().ok().filter(|_| port.len() <= 5).map(|address: SocketAddr| address.ip())
    };
    let address: IpAddr = bare().or_else(in_brackets).or_else(with_port)?;
    Some(address.to_canonical())
}
