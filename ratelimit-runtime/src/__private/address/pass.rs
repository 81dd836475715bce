//! Finds the client in arguments whose pattern must stay unchanged, because another attribute reads the pattern.

use super::{PlainAddress, RequestPeer};
use crate::__private::probe::Nothing;
use crate::__private::warn::ArgumentOf;
use crate::identity::ClientIp;

/// Passes on what a part of an argument says about the client, if the whole argument knows the client or the peer. A part of
/// any other argument, such as a path, is ignored, because the caller chooses its value.
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

/// The only part of an argument, as the pattern `Wrapper(part)` binds it.
pub struct OnlyPart<'a, T>(pub &'a T);

/// Rebuilds an argument from its only part, if the part is a plain address. The whole argument is needed, because only its type
/// says whose address this is.
pub trait MakeAgain {
    type Part;
    type Made<W>;
    fn __ratelimit_make_again<W>(&self, make: impl FnOnce(Self::Part) -> W) -> Self::Made<W>;
}

impl<T: PlainAddress + Copy> MakeAgain for &OnlyPart<'_, T> {
    type Part = T;
    type Made<W> = W;
    fn __ratelimit_make_again<W>(&self, make: impl FnOnce(T) -> W) -> W {
        make(*self.0)
    }
}

impl<T> MakeAgain for OnlyPart<'_, T> {
    type Part = T;
    type Made<W> = Nothing;
    fn __ratelimit_make_again<W>(&self, _: impl FnOnce(T) -> W) -> Nothing {
        Nothing
    }
}
