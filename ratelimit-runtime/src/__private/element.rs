//! Finds out, by the type of a value, how it is written into a key. See [`probe`](super::probe) for how that works.

use crate::identity::{Identity, UserId};
use crate::key::KeyWriter;
use std::fmt::Display;
use std::marker::PhantomData;

/// A value that becomes part of a key.
pub struct Element<'a, T: ?Sized>(pub &'a T);

/// A value, and the way to write it that its type allows.
pub struct Writable<'a, T: ?Sized, Way>(&'a T, PhantomData<Way>);

/// Chosen first.
pub trait ElementIdentity<'a, T: ?Sized> {
    fn __ratelimit_element(&self) -> Writable<'a, T, ByIdentity>;
}

impl<'a, T: Identity + ?Sized> ElementIdentity<'a, T> for &&&Element<'a, T> {
    fn __ratelimit_element(&self) -> Writable<'a, T, ByIdentity> {
        Writable(self.0, PhantomData)
    }
}

/// Chosen second.
pub trait ElementUser<'a, T: ?Sized> {
    fn __ratelimit_element(&self) -> Writable<'a, T, ByUser>;
}

impl<'a, T: UserId + ?Sized> ElementUser<'a, T> for &&Element<'a, T> {
    fn __ratelimit_element(&self) -> Writable<'a, T, ByUser> {
        Writable(self.0, PhantomData)
    }
}

/// Chosen third.
pub trait ElementDisplay<'a, T: ?Sized> {
    fn __ratelimit_element(&self) -> Writable<'a, T, ByDisplay>;
}

impl<'a, T: Display + ?Sized> ElementDisplay<'a, T> for &Element<'a, T> {
    fn __ratelimit_element(&self) -> Writable<'a, T, ByDisplay> {
        Writable(self.0, PhantomData)
    }
}

/// Chosen last.
pub trait ElementOther<'a, T: ?Sized> {
    fn __ratelimit_element(&self) -> Writable<'a, T, InNoWay>;
}

impl<'a, T: ?Sized> ElementOther<'a, T> for Element<'a, T> {
    fn __ratelimit_element(&self) -> Writable<'a, T, InNoWay> {
        Writable(self.0, PhantomData)
    }
}

/// A way to write values of type `T` into a key.
#[diagnostic::on_unimplemented(
    message = "`{T}` cannot be part of a key",
    label = "implements neither `Identity` nor `Display`",
    note = "name a field that can, as in `user.id` or `path.0`, or implement `ratelimit::Identity` or `ratelimit::UserId` for the type",
    note = "an address, a user and a header are found by `by = \"ip\"`, `by = \"user\"` and `by = \"header:x-api-key\"`"
)]
pub trait Way<T: ?Sized>: Sized {
    fn write(value: Writable<'_, T, Self>, key: &mut KeyWriter<'_>);
}

/// As its [`Identity`] writes it.
#[derive(Debug)]
pub struct ByIdentity;

/// By the user that it is.
#[derive(Debug)]
pub struct ByUser;

/// As it displays.
#[derive(Debug)]
pub struct ByDisplay;

/// The compile error that says what is missing.
#[derive(Debug)]
pub struct InNoWay;

#[diagnostic::do_not_recommend]
impl<T: Identity + ?Sized> Way<T> for ByIdentity {
    fn write(value: Writable<'_, T, Self>, key: &mut KeyWriter<'_>) {
        value.0.write(key);
    }
}

#[diagnostic::do_not_recommend]
impl<T: UserId + ?Sized> Way<T> for ByUser {
    fn write(value: Writable<'_, T, Self>, key: &mut KeyWriter<'_>) {
        value.0.user_id().write(key);
    }
}

#[diagnostic::do_not_recommend]
impl<T: Display + ?Sized> Way<T> for ByDisplay {
    fn write(value: Writable<'_, T, Self>, key: &mut KeyWriter<'_>) {
        key.display(&value.0);
    }
}
