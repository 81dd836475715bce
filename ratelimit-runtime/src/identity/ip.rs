//! Writes client addresses: two addresses of one client are the same identity.

use crate::key::Bytes;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The prefix of the IPv6 addresses of IPv4 clients behind NAT64 (RFC 6052).
const NAT64: [u16; 6] = [0x64, 0xff9b, 0, 0, 0, 0];

/// Writes all of an IPv4 address, or the first `ipv6_prefix` bits of an IPv6 address.
///
/// Mapped IPv4 addresses are unmapped first. They have 96 leading bits in common, so all IPv4 clients would otherwise be one
/// identity.
pub(crate) fn write(bytes: &mut Bytes, address: IpAddr, ipv6_prefix: u8) {
    // A write to a vector never fails.
    let _ = match canonical(address) {
        IpAddr::V4(v4) => write!(bytes, "{v4}"),
        IpAddr::V6(v6) => write_network(bytes, v6, ipv6_prefix.min(128)),
    };
}

fn canonical(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if v6.segments()[..6] == NAT64 => {
            let [.., a, b, c, d] = v6.octets();
            Ipv4Addr::new(a, b, c, d).into()
        }
        other => other,
    }
}

/// Writes `2001-db8-0-0/64`. A colon has another meaning in a key.
fn write_network(bytes: &mut Bytes, address: Ipv6Addr, prefix: u8) -> std::io::Result<()> {
    let mask = u128::MAX.checked_shl(128 - u32::from(prefix)).unwrap_or(0);
    let network = Ipv6Addr::from_bits(address.to_bits() & mask).segments();
    let shown = usize::from(prefix.div_ceil(16)).max(1);
    for (i, segment) in network[..shown].iter().enumerate() {
        write!(bytes, "{}{segment:x}", if i == 0 { "" } else { "-" })?;
    }
    write!(bytes, "/{prefix}")
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
