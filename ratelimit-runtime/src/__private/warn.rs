//! Warns about a limit without `by` on a function that serves many clients or users, because they all share it.

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
        note = "all users share this limit, so one of them can use it up for everybody: write `by = \"user\"`, or `by = \"global\"` if this is intended"
    )]
    OfUser for [&&] if UserId;
    #[deprecated(
        note = "all clients share this limit, so one of them can use it up for everybody: write who is limited, such as `by = \"ip\"` or `by = \"header:x-api-key\"`, or `by = \"global\"` if this is intended"
    )]
    OfRequest for [&] if RequestArgument;
    NoRequest for [];
}
