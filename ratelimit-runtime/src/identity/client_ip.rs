//! `ClientIp`: types that know the address of the client. `PeerAddr` is the other end of a connection, and `Forwarded` the
//! header of the proxies.

use crate::macros::delegate;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// A type that knows the address of the client, such as your own extractor that has resolved it.
///
/// `by = "ip"` uses this trait to find the argument that has the address. The address is final: the limiter does not look for
/// another client behind it. So return neither the address of a proxy nor an address that a client has sent. The requests and
/// connections of the web frameworks do not implement this trait. They know only the peer, and the limiter finds the client
/// behind it.
///
/// ```
/// use ratelimit::{ClientIp, Rejection, rate_limit};
/// use std::net::IpAddr;
///
/// /// An extractor that has resolved the client behind the proxies of this service.
/// struct Client { address: IpAddr }
///
/// impl ClientIp for Client {
///     fn client_ip(&self) -> Option<IpAddr> {
///         Some(self.address)
///     }
/// }
///
/// #[rate_limit(time = 60, count = 5, by = "ip")]
/// async fn login(client: Client) -> Result<(), Rejection> {
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not know the address of the client",
    note = "implement `ratelimit::ClientIp` for the type, or write an address that you trust, as in `by = addr`"
)]
pub trait ClientIp {
    /// The address. A call with `None` is rejected as unidentified, because its client is not known.
    fn client_ip(&self) -> Option<IpAddr>;
}

delegate! { ClientIp for &T, &mut T, Arc<T> => { fn client_ip(&self) -> Option<IpAddr>; } }

impl<T: ClientIp> ClientIp for Option<T> {
    fn client_ip(&self) -> Option<IpAddr> {
        self.as_ref()?.client_ip()
    }
}

/// The other end of a connection: a client, or the proxy in front of this server.
///
/// A framework knows the peer of a connection that it accepts itself. In all other cases, put a `PeerAddr` into the extensions
/// of a request: behind a listener that reads the PROXY protocol, on plain hyper, and in tests. A listener that accepts the
/// PROXY protocol must accept connections from proxies only, because the sender chooses the address.
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
    /// A unix socket, which has no address. If unix sockets are not trusted proxies, it identifies nobody.
    Unix,
}

impl PeerAddr {
    /// Returns the address. `None` for a unix socket.
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

/// The header in which trusted proxies name the client, for
/// [`RateLimiterBuilder::forwarded_by`](crate::RateLimiterBuilder::forwarded_by).
///
/// Only this header is read. Choose one that your proxies always append to, or overwrite. A header that the proxies pass on
/// unchanged may come from the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Forwarded<'a> {
    /// `X-Forwarded-For: client, proxy`: a list to which each proxy appends the address of its peer.
    #[default]
    XForwardedFor,
    /// `Forwarded: for=client;proto=https, for=proxy` (RFC 7239): the same list, with parameters.
    Rfc7239,
    /// A header with one address, which the proxy nearest to the client sets, such as `cf-connecting-ip` or `x-real-ip`. Upper
    /// and lower case do not matter.
    ///
    /// The header is read only from a trusted peer, and only if it occurs once. Your proxies must remove or overwrite any
    /// header of this name that clients send.
    Single(&'a str),
}
