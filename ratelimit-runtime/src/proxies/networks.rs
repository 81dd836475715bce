//! `Networks`: the addresses of trusted proxies.

use super::error::configuration;
use crate::error::Error;
use crate::identity::PeerAddr;
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use std::net::IpAddr;

/// The text that trusts all proxies that connect through a unix socket.
const UNIX: &str = "unix";

/// The addresses of trusted proxies, as sorted ranges that do not overlap.
#[derive(Debug)]
pub(crate) struct Networks {
    v4: Box<[(u32, u32)]>,
    v6: Box<[(u128, u128)]>,
    unix: bool,
}

impl Networks {
    /// Reads addresses, networks such as `10.0.0.0/8`, and `unix`.
    pub(crate) fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Self, Error> {
        if texts.is_empty() {
            return Err(configuration(
                "the list of trusted proxies is empty; write the addresses or networks of your proxies, or do not set it",
            ));
        }
        let (mut v4, mut v6, mut unix) = (Vec::new(), Vec::new(), false);
        for text in texts {
            match text.as_ref().trim() {
                UNIX => unix = true,
                text => match network(text)? {
                    IpNet::V4(network) => v4.push(network),
                    IpNet::V6(network) => v6.push(network),
                },
            }
        }
        let (v4, v6) = (Ipv4Net::aggregate(&v4), Ipv6Net::aggregate(&v6));
        // `aggregate` has merged adjacent networks, so two halves of the address space are one network here.
        let mut networks = v4.iter().copied().map(IpNet::V4).chain(v6.iter().copied().map(IpNet::V6));
        if let Some(all) = networks.find(|network| network.prefix_len() == 0) {
            return Err(trusts_everybody(all));
        }
        Ok(Self {
            v4: v4.iter().map(|network| (network.network().into(), network.broadcast().into())).collect(),
            v6: v6.iter().map(|network| (network.network().into(), network.broadcast().into())).collect(),
            unix,
        })
    }

    /// A mapped IPv4 address must be unmapped before the call.
    pub(crate) fn contain(&self, peer: PeerAddr) -> bool {
        match peer {
            PeerAddr::Ip(IpAddr::V4(address)) => contains(&self.v4, address.to_bits()),
            PeerAddr::Ip(IpAddr::V6(address)) => contains(&self.v6, address.to_bits()),
            PeerAddr::Unix => self.unix,
        }
    }
}

fn contains<T: Copy + PartialOrd>(ranges: &[(T, T)], address: T) -> bool {
    let after = ranges.partition_point(|(first, _)| *first <= address);
    after.checked_sub(1).is_some_and(|at| address <= ranges[at].1)
}

/// Reads an address or a network. A mapped IPv4 network is unmapped, because the addresses of peers are unmapped too.
fn network(text: &str) -> Result<IpNet, Error> {
    let invalid = || {
        let several = match text {
            "" => "; remove the empty entry",
            _ if text.contains(',') => "; write several as separate texts",
            _ => "",
        };
        configuration(format!(
            "invalid trusted proxy {text:?}; expected an address, a network such as \"10.0.0.0/8\", or \"{UNIX}\"{several}"
        ))
    };
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length)),
        None => (text, None),
    };
    let address: IpAddr = address.parse().map_err(|_| invalid())?;
    let Some(length) = length else { return Ok(address.to_canonical().into()) };
    let is_number = length.bytes().all(|byte| byte.is_ascii_digit());
    let length = length.parse().ok().filter(|_| is_number).ok_or_else(invalid)?;
    let network = IpNet::new(address, length).map_err(|_| invalid())?;
    if network.prefix_len() == 0 {
        return Err(trusts_everybody(network));
    }
    if network.network() != address {
        return Err(configuration(format!(
            "trusted proxy {text:?} has bits set after its first {length}; write \"{}\" for the network, or \"{address}\" for the address",
            network.trunc()
        )));
    }
    Ok(unmapped(network))
}

fn unmapped(network: IpNet) -> IpNet {
    let mapped = match network {
        IpNet::V6(v6) => v6.network().to_ipv4_mapped().zip(v6.prefix_len().checked_sub(96)),
        IpNet::V4(_) => None,
    };
    mapped.and_then(|(address, length)| Ipv4Net::new(address, length).ok()).map_or(network, IpNet::V4)
}

fn trusts_everybody(network: IpNet) -> Error {
    configuration(format!(
        "trusted proxies that include \"{network}\" trust everybody, so each client could choose its address; write the networks of your proxies, or use `trusted_hops` if you do not know them"
    ))
}
