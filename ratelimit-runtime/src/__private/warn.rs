//! Warns about functions that serve many clients or users: they all share a limit without `by`, or do not see a refusal.

use crate::identity::UserId;
use std::marker::PhantomData;

/// The extractors and requests of web frameworks. A function with such an argument serves many clients.
pub trait RequestArgument {}

impl<T: RequestArgument + ?Sized> RequestArgument for &T {}
impl<T: RequestArgument + ?Sized> RequestArgument for &mut T {}

/// The type of an argument.
#[derive(Debug, Default)]
pub struct ArgumentOf<T: ?Sized>(PhantomData<T>);

impl<T: ?Sized> ArgumentOf<T> {
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// Declares one trait for each warning. A deprecated method is the only way to emit a warning in stable Rust, and each
/// deprecated method needs its own trait. The argument's type selects the trait, as explained in [`probe`](super::probe).
macro_rules! warnings {
    ($($method:ident: { $($(#[$meta:meta])* $trait:ident for [$($reference:tt)*] $(if $bound:ident)?;)* })*) => {$($(
        pub trait $trait {
            $(#[$meta])*
            fn $method(&self);
        }

        impl<T: $($bound +)? ?Sized> $trait for $($reference)* ArgumentOf<T> {
            fn $method(&self) {}
        }
    )*)*};
}

warnings! {
    limit_without_identity: {
        #[deprecated(
            note = "all users share this limit, so one of them can use it up for everybody: write `by = \"user\"`, or `by = \"global\"` if this is intended"
        )]
        OfUser for [&&] if UserId;
        #[deprecated(
            note = "all clients share this limit, so one of them can use it up for everybody: write who is limited, such as `by = \"ip\"` or `by = \"header:x-api-key\"`, or `by = \"global\"` if this is intended"
        )]
        OfRequest for [&] if RequestArgument;
        NoRequest for [];
    }
    refusal_looks_like_a_success: {
        #[deprecated(
            note = "the client sees a success when its call is refused: return the rejection, for example by `fallible` instead of `on_limit`; if a success is intended, write it as a function, as in `on_limit = ignore`"
        )]
        UserSeesSuccess for [&&] if UserId;
        #[deprecated(
            note = "the client sees a success when its call is refused: return the rejection, for example by `fallible` instead of `on_limit`; if a success is intended, write it as a function, as in `on_limit = ignore`"
        )]
        RequestSeesSuccess for [&] if RequestArgument;
        NoSuccess for [];
    }
    refusal_looks_like_nothing: {
        #[deprecated(
            note = "the client sees an empty answer or a 404 when its call is refused: return the rejection, for example by `fallible` instead of `on_limit`; if this is intended, write it as a function, as in `on_limit = nothing`"
        )]
        UserSeesMissing for [&&] if UserId;
        #[deprecated(
            note = "the client sees an empty answer or a 404 when its call is refused: return the rejection, for example by `fallible` instead of `on_limit`; if this is intended, write it as a function, as in `on_limit = nothing`"
        )]
        RequestSeesMissing for [&] if RequestArgument;
        NoMissing for [];
    }
}
