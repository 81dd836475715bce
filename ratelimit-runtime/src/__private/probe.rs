//! Finds out, by the types of arguments, what they can be used for.
//!
//! The compiler tries the receivers of a method call one reference less at a time. A method of one name, implemented
//! for `&&Argument<T>` under the narrowest bound, for `&Argument<T>` under a wider one and for `Argument<T>` without
//! any, therefore means: the narrowest that fits. Names are long so that no trait in a user's scope shares them.

use crate::identity::ClientIp;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

/// An argument that may carry the client's address.
pub struct Argument<'a, T: ?Sized>(pub &'a T);

/// A bare address: it may be the client's, and gives way to a framework's own type.
pub struct Bare(Option<IpAddr>);

/// An argument that is known to carry the client's address.
pub struct Carried(Option<IpAddr>);

/// No argument so far, or an argument that carries none.
#[derive(Debug)]
pub struct NoAddress;

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

/// Chosen first.
pub trait ProbeAddress {
    fn __ratelimit_probe_ip(&self) -> Bare;
}

impl<T: Address + ?Sized> ProbeAddress for &&Argument<'_, T> {
    fn __ratelimit_probe_ip(&self) -> Bare {
        Bare(self.0.client_ip())
    }
}

/// Chosen second.
pub trait ProbeClientIp {
    fn __ratelimit_probe_ip(&self) -> Carried;
}

impl<T: ClientIp + ?Sized> ProbeClientIp for &Argument<'_, T> {
    fn __ratelimit_probe_ip(&self) -> Carried {
        Carried(self.0.client_ip())
    }
}

/// Chosen last.
pub trait ProbeOther {
    fn __ratelimit_probe_ip(&self) -> NoAddress;
}

impl<T: ?Sized> ProbeOther for Argument<'_, T> {
    fn __ratelimit_probe_ip(&self) -> NoAddress {
        NoAddress
    }
}

/// Adds what the next argument carries to what was found before.
#[diagnostic::on_unimplemented(
    message = "`by = \"ip\"`: more than one argument carries the address of the client",
    label = "which of them?",
    note = "name the one that counts: `by = peer.ip()`"
)]
pub trait Merge<Next> {
    type Found;
    fn merge(self, next: Next) -> Self::Found;
}

macro_rules! merge {
    ($($left:ty, $right:ty => $found:ty: |$a:pat_param, $b:pat_param| $value:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Merge<$right> for $left {
            type Found = $found;
            fn merge(self, next: $right) -> $found {
                let ($a, $b) = (self, next);
                $value
            }
        }
    )*};
}

merge! {
    NoAddress, NoAddress => NoAddress: |none, _| none;
    NoAddress, Bare => Bare: |_, bare| bare;
    NoAddress, Carried => Carried: |_, carried| carried;
    Bare, NoAddress => Bare: |bare, _| bare;
    Bare, Carried => Carried: |_, carried| carried;
    Carried, NoAddress => Carried: |carried, _| carried;
    Carried, Bare => Carried: |carried, _| carried;
}

/// What was found among all arguments.
#[diagnostic::on_unimplemented(
    message = "`by = \"ip\"`: no argument of this function carries the address of the client",
    label = "needs an argument such as `ConnectInfo<SocketAddr>` or the request",
    note = "add such an argument (the framework's feature of `ratelimit-runtime` has to be on), implement `ratelimit::ClientIp` for your own type, or name the value: `by = addr`"
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
