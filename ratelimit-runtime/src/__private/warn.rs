//! Warns about a limit that all clients of a web service share although the attribute does not say so.

use crate::identity::UserId;
use std::marker::PhantomData;

/// The extractors and requests of web frameworks: many clients call a function that takes one.
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

/// Declares one trait per method, because only the method of a trait can be deprecated, which is the one way to a
/// warning in stable Rust. The type chooses among them as [`probe`](super::probe) explains.
macro_rules! warnings {
    ($($(#[$meta:meta])* $trait:ident for [$($reference:tt)*] $(if $bound:ident)?;)*) => {$(
        pub trait $trait {
            $(#[$meta])*
            fn limit_without_identity(&self);
        }

        impl<T: $($bound +)? ?Sized> $trait for $($reference)* ArgumentOf<T> {
            fn limit_without_identity(&self) {}
        }
    )*};
}

warnings! {
    #[deprecated(
        note = "all users share this limit, so one of them can use it up for everybody: write `by = \"user\"`, or `by = \"global\"` if that is meant"
    )]
    OfUser for [&&] if UserId;
    #[deprecated(
        note = "all clients share this limit, so one of them can use it up for everybody: say who is limited, as in `by = \"ip\"` or `by = \"header:x-api-key\"`, or `by = \"global\"` if that is meant"
    )]
    OfRequest for [&] if RequestArgument;
    NoRequest for [];
}
