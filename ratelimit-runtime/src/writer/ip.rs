//! Writes client addresses. Different addresses of one client, such as those of one IPv6 network, become the same identity.

use super::{Bytes, push_hex_number, push_number};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The first 96 bits of an IPv6 address that NAT64 makes from the address of an IPv4 client (RFC 6052).
const NAT64: [u16; 6] = [0x64, 0xff9b, 0, 0, 0, 0];

/// Writes all of an IPv4 address, or the first `ipv6_prefix` bits of an IPv6 address.
///
/// An IPv4 address that is mapped into IPv6 is unmapped first. All mapped addresses have the same first 96 bits, so all IPv4
/// clients would otherwise be one identity. An address from NAT64 is treated in the same way.
#[inline]
pub(super) fn write(bytes: &mut Bytes, address: IpAddr, ipv6_prefix: u8) {
    match address {
        IpAddr::V4(v4) => write_v4(bytes, v4),
        IpAddr::V6(v6) => write_v6(bytes, v6, ipv6_prefix),
    }
}

fn write_v6(bytes: &mut Bytes, address: Ipv6Addr, prefix: u8) {
    match address.to_canonical() {
        IpAddr::V4(v4) => write_v4(bytes, v4),
        IpAddr::V6(v6) if v6.segments()[..6] == NAT64 => {
            let [.., a, b, c, d] = v6.octets();
            write_v4(bytes, Ipv4Addr::new(a, b, c, d));
        }
        IpAddr::V6(v6) => write_network(bytes, v6, prefix.min(128)),
    }
}

#[inline]
fn write_v4(bytes: &mut Bytes, address: Ipv4Addr) {
    let [first, second, third, fourth] = address.octets().map(|octet| OCTETS[usize::from(octet)]);
    for (word, len) in [two(first, second), (b'.'.into(), 1), two(third, fourth)] {
        bytes.push_word(word, len);
    }
}

/// The text of an address as words with the first byte in the lowest byte, and its length.
#[inline]
pub(super) fn words_of_v4(address: Ipv4Addr) -> ([u64; 2], usize) {
    let [first, second, third, fourth] = address.octets().map(|octet| OCTETS[usize::from(octet)]);
    let ((first, len), (second, second_len)) = (two(first, second), two(third, fourth));
    let (rest, rest_len) = (u64::from(b'.') | second << 8, 1 + second_len); // at most eight bytes
    // The first piece has three to seven bytes, so no shift is by 64 bits.
    let words = [first | rest << (8 * len), rest >> (64 - 8 * len)];
    (words, len + rest_len)
}

/// Two octets with a dot between them as a word, and the length of this text.
#[inline]
fn two(first: Octet, second: Octet) -> (u64, usize) {
    let shift = 8 * first.len;
    let text = u64::from(first.text) | u64::from(b'.') << shift | u64::from(second.text) << 8 << shift;
    (text, usize::from(first.len + 1 + second.len))
}

/// The digits of an octet, with the first one in the lowest byte, and the number of digits.
#[derive(Clone, Copy)]
struct Octet {
    text: u32,
    len: u8,
}

const OCTETS: [Octet; 256] = {
    let mut octets = [Octet { text: 0, len: 0 }; 256];
    let mut octet = 0_u8;
    loop {
        let [hundreds, tens, ones] = [b'0' + octet / 100, b'0' + octet / 10 % 10, b'0' + octet % 10];
        let (text, len) = match octet {
            0..10 => ([ones, 0, 0, 0], 1),
            10..100 => ([tens, ones, 0, 0], 2),
            _ => ([hundreds, tens, ones, 0], 3),
        };
        octets[octet as usize] = Octet { text: u32::from_le_bytes(text), len };
        if octet == u8::MAX {
            break octets;
        }
        octet += 1;
    }
};

/// Writes the network of an IPv6 address, such as `2001-db8-0-0/64`. It has hyphens, because a colon separates the parts of a
/// key.
fn write_network(bytes: &mut Bytes, address: Ipv6Addr, prefix: u8) {
    let mask = u128::MAX.checked_shl(128 - u32::from(prefix)).unwrap_or(0);
    let network = Ipv6Addr::from_bits(address.to_bits() & mask).segments();
    let shown = usize::from(prefix.div_ceil(16)).max(1);
    for (i, segment) in network[..shown].iter().enumerate() {
        if i > 0 {
            bytes.push(b'-');
        }
        push_hex_number(bytes, *segment);
    }
    bytes.push(b'/');
    push_number(bytes, prefix.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(address: &str) -> String {
        let mut bytes = Bytes::new();
        write(&mut bytes, address.parse().unwrap(), 64);
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn all_spellings_of_an_ipv4_address_are_one_client() {
        for spelling in ["203.0.113.7", "::ffff:203.0.113.7", "::ffff:cb00:7107", "64:ff9b::203.0.113.7"] {
            assert_eq!(identity(spelling), "203.0.113.7", "{spelling}");
        }
        assert_ne!(identity("::ffff:203.0.113.7"), identity("::ffff:203.0.113.8"));
    }

    #[test]
    fn an_ipv6_client_is_its_network() {
        assert_eq!(identity("2001:db8:1:2::1"), "2001-db8-1-2/64");
        assert_eq!(identity("2001:db8:1:2:ffff::9"), identity("2001:db8:1:2::1"));
        assert_ne!(identity("2001:db8:1:3::1"), identity("2001:db8:1:2::1"));
    }

    #[test]
    fn the_prefix_can_be_chosen() {
        let address: Ipv6Addr = "2001:db8:1:2:3:4:5:6".parse().unwrap();
        for (prefix, expected) in
            [(0, "0/0"), (20, "2001-0/20"), (56, "2001-db8-1-0/56"), (128, "2001-db8-1-2-3-4-5-6/128")]
        {
            let mut bytes = Bytes::new();
            write(&mut bytes, address.into(), prefix);
            assert_eq!(std::str::from_utf8(&bytes).unwrap(), expected);
        }
    }
}
