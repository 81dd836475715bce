//! Identities of a log: addresses as the library counts them, and a number for each identity.

use crate::simulate::traffic::Caller;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};

/// Writes an address in the form in which `by = "ip"` counts it. An IPv4 address that is mapped into IPv6 counts as the IPv4
/// address, and an IPv6 address counts by its first 64 bits. Any other text, such as a host name, counts unchanged.
pub(super) fn normalized(address: &[u8]) -> Vec<u8> {
    let parsed = str::from_utf8(address).ok().and_then(|text| text.parse::<IpAddr>().ok());
    match parsed.map(|address| address.to_canonical()) {
        Some(IpAddr::V4(address)) => address.to_string().into_bytes(),
        Some(IpAddr::V6(address)) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)).into_bytes()
        }
        None => address.to_vec(),
    }
}

/// Numbers identities in the order of their first lines.
#[derive(Default)]
pub(super) struct Numbers {
    /// The texts of the lines, with their numbers. Several addresses may have the same number.
    seen: HashMap<Box<[u8]>, u32>,
    identities: HashMap<Caller, u32>,
    names: Vec<Caller>,
}

impl Numbers {
    /// `identity` computes the identity of a new text.
    pub(super) fn number(&mut self, text: &[u8], identity: impl FnOnce(&[u8]) -> Vec<u8>) -> u32 {
        if let Some(number) = self.seen.get(text) {
            return *number;
        }
        let identity = identity(text).into_boxed_slice();
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let number = *self.identities.entry(identity.clone()).or_insert_with(|| {
            self.names.push(identity);
            next
        });
        self.seen.insert(text.into(), number);
        number
    }

    pub(super) fn into_names(self) -> Vec<Caller> {
        self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_count_as_in_the_library() {
        for (address, identity) in [
            ("203.0.113.7", "203.0.113.7"),
            ("::ffff:203.0.113.7", "203.0.113.7"),
            ("2001:db8:0:1:a:b:c:d", "2001:db8:0:1::/64"),
            ("client.example", "client.example"),
        ] {
            assert_eq!(normalized(address.as_bytes()), identity.as_bytes());
        }
        let mut numbers = Numbers::default();
        let texts = ["2001:db8::1", "203.0.113.7", "2001:db8::2", "203.0.113.7"];
        assert_eq!(texts.map(|text| numbers.number(text.as_bytes(), normalized)), [0, 1, 0, 1]);
        assert_eq!(numbers.into_names().len(), 2);
    }
}
