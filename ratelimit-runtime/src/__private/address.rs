//! Finds the address of the client among the arguments of a function.

use super::probe::{Argument, Nothing, merge, probe};
use crate::identity::{ClientIp, PeerAddr, RequestHeaders};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

/// A request or a connection of a web framework. It knows the peer, behind which the limiter finds the client.
pub trait RequestPeer {
    /// The other end of the connection. `None` if the server does not provide it.
    fn peer(&self) -> Option<PeerAddr>;

    /// The headers of the request. `None` for a type that has no headers, such as a connection.
    fn headers(&self) -> Option<&dyn RequestHeaders> {
        None
    }
}

/// The result for a plain address. It may be the client's address. A [`Carried`] address takes precedence.
pub struct Bare(Option<IpAddr>);

/// The result for an argument whose type has the client's address.
pub struct Carried(Option<IpAddr>);

/// Types that are an address and nothing else.
pub trait Address: ClientIp {}

impl Address for IpAddr {}
impl Address for Ipv4Addr {}
impl Address for Ipv6Addr {}
impl Address for SocketAddr {}
impl Address for SocketAddrV4 {}
impl Address for SocketAddrV6 {}
impl<T: Address + ?Sized> Address for &T {}
impl<T: Address + ?Sized> Address for &mut T {}
impl<T: Address> Address for Option<T> {}

probe! {
    /// Reads the address of an argument.
    ProbeAddress::__ratelimit_probe_ip(Argument);
    [&&] if Address => Bare: |address| Bare(address.client_ip());
    [&] if ClientIp => Carried: |argument| Carried(argument.client_ip());
    [] => Nothing: |_| Nothing;
}

merge! {
    /// Merges the address of the next argument into the earlier results.
    #[diagnostic::on_unimplemented(
        message = "`by = \"ip\"`: more than one argument has the address of the client",
        label = "ambiguous",
        note = "write which one: `by = peer.ip()`"
    )]
    MergeAddress;
    [] Nothing, Nothing => Nothing: |none, _| none;
    [] Nothing, Bare => Bare: |_, bare| bare;
    [] Nothing, Carried => Carried: |_, carried| carried;
    [] Bare, Nothing => Bare: |bare, _| bare;
    [] Bare, Carried => Carried: |_, carried| carried;
    [] Carried, Nothing => Carried: |carried, _| carried;
    [] Carried, Bare => Carried: |carried, _| carried;
}

/// The address that was found among all arguments.
#[diagnostic::on_unimplemented(
    message = "`by = \"ip\"`: no argument of this function has the address of the client",
    label = "add an argument such as `ConnectInfo<SocketAddr>` or the request",
    note = "enable the framework's feature of `ratelimit-runtime`, implement `ratelimit::ClientIp` for your own type, or write the value: `by = addr`"
)]
pub trait FoundAddress {
    fn found(self) -> Option<IpAddr>;
}

#[diagnostic::do_not_recommend]
impl FoundAddress for Bare {
    fn found(self) -> Option<IpAddr> {
        self.0
    }
}

#[diagnostic::do_not_recommend]
impl FoundAddress for Carried {
    fn found(self) -> Option<IpAddr> {
        self.0
    }
}
