//! Warns where all clients of a web service share one limit, and nobody has said that they are to.

use crate::identity::UserId;
use std::marker::PhantomData;

/// The extractors and requests of web frameworks: a function that has one is called by many clients.
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

/// Chosen first. A deprecated function is the one way to a warning in stable Rust.
pub trait OfUser {
    #[deprecated(
        note = "all users share this limit, so one of them can use it up for everybody: write `by = \"user\"`, or `by = \"global\"` if that is meant"
    )]
    fn limit_without_identity(&self);
}

impl<T: UserId + ?Sized> OfUser for &&ArgumentOf<T> {
    fn limit_without_identity(&self) {}
}

/// Chosen second.
pub trait OfRequest {
    #[deprecated(
        note = "all clients share this limit, so one of them can use it up for everybody: say who is limited, as in `by = \"ip\"` or `by = \"header:x-api-key\"`, or `by = \"global\"` if that is meant"
    )]
    fn limit_without_identity(&self);
}

impl<T: RequestArgument + ?Sized> OfRequest for &ArgumentOf<T> {
    fn limit_without_identity(&self) {}
}

/// Chosen last.
pub trait NoRequest {
    fn limit_without_identity(&self);
}

impl<T: ?Sized> NoRequest for ArgumentOf<T> {
    fn limit_without_identity(&self) {}
}
