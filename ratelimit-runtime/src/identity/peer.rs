//! `PeerAddr`: the other end of a connection.

use std::net::{IpAddr, SocketAddr};

/// The other end of a connection: a client, or the proxy in front of this server.
///
/// Frameworks know it for the connections that they accept themselves. Put it into the extensions of a request where they do not:
/// behind a listener that reads the PROXY protocol, on plain hyper, and in tests. A listener that accepts the PROXY protocol must
/// accept connections from proxies only, because the sender chooses the address.
///
/// ```
/// use ratelimit::identity::PeerAddr;
/// use std::net::SocketAddr;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let accepted: SocketAddr = "203.0.113.7:40000".parse()?;
/// let peer = PeerAddr::from(accepted); // the port identifies nobody
/// assert_eq!(peer.ip(), Some(accepted.ip()));
/// assert_eq!(PeerAddr::Unix.ip(), None);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PeerAddr {
    /// An address of the internet protocol.
    Ip(IpAddr),
    /// A unix socket, which has no address. It identifies nobody unless unix sockets are trusted proxies.
    Unix,
}

impl PeerAddr {
    /// The address, unless the connection is a unix socket.
    pub const fn ip(self) -> Option<IpAddr> {
        match self {
            Self::Ip(address) => Some(address),
            Self::Unix => None,
        }
    }
}

impl From<IpAddr> for PeerAddr {
    fn from(address: IpAddr) -> Self {
        Self::Ip(address)
    }
}

impl From<SocketAddr> for PeerAddr {
    fn from(address: SocketAddr) -> Self {
        Self::Ip(address.ip())
    }
}
