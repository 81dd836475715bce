//! Judges the parts of an argument that another attribute keeps in its pattern.

use super::RequestPeer;
use crate::__private::probe::Nothing;
use crate::__private::warn::ArgumentOf;
use crate::identity::ClientIp;

/// Passes on what a part of an argument says about the client, if the whole argument knows the client or the peer. An address
/// in any other argument, such as a path, was chosen by the caller.
pub trait PassAddress {
    type Passed<C>;
    fn __ratelimit_pass_ip<C>(&self, candidate: C) -> Self::Passed<C>;
}

impl<T: RequestPeer + ?Sized> PassAddress for &&ArgumentOf<T> {
    type Passed<C> = C;
    fn __ratelimit_pass_ip<C>(&self, candidate: C) -> C {
        candidate
    }
}

impl<T: ClientIp + ?Sized> PassAddress for &ArgumentOf<T> {
    type Passed<C> = C;
    fn __ratelimit_pass_ip<C>(&self, candidate: C) -> C {
        candidate
    }
}

impl<T: ?Sized> PassAddress for ArgumentOf<T> {
    type Passed<C> = Nothing;
    fn __ratelimit_pass_ip<C>(&self, _: C) -> Nothing {
        Nothing
    }
}
