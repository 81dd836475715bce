//! Chooses how to write a value into a key, by the type of the value.

use super::probe::probe;
use crate::identity::{Identity, UserId};
use crate::writer::KeyWriter;
use std::fmt::Display;
use std::marker::PhantomData;

/// A value that becomes part of a key.
pub struct KeyPart<'a, T: ?Sized>(pub &'a T);

/// A value that becomes part of a key. The type parameter `Way` says how the value is written.
pub struct Writable<'a, T: ?Sized, Way>(&'a T, PhantomData<Way>);

probe! {
    /// Chooses the way to write a value.
    ProbeKeyPart::__ratelimit_key_part(KeyPart);
    [&&&] if Identity => Writable<'a, T, ByIdentity>: |value| Writable(value, PhantomData);
    [&&] if UserId => Writable<'a, T, ByUser>: |value| Writable(value, PhantomData);
    [&] if Display => Writable<'a, T, ByDisplay>: |value| Writable(value, PhantomData);
    [] => Writable<'a, T, InNoWay>: |value| Writable(value, PhantomData);
}

/// A way to write values of type `T` into a key.
#[diagnostic::on_unimplemented(
    message = "`{T}` cannot be part of a key",
    label = "implements neither `Identity` nor `Display`",
    note = "use a field that does, such as `user.id` or `path.0`; of a list of texts, write `list.join(\",\").as_str()`; or implement `ratelimit::identity::Identity` or `ratelimit::UserId` for the type",
    note = "for an `Option` of another crate's type, write `by = user.id.map(ratelimit::identity::ByDisplay)`; for `uuid::Uuid` and `ulid::Ulid`, enable the features `uuid` and `ulid` of `ratelimit-runtime`",
    note = "an address, a user and a header are found by `by = \"ip\"`, `by = \"user\"` and `by = \"header:x-api-key\"`"
)]
pub trait Way<T: ?Sized>: Sized {
    fn write(value: Writable<'_, T, Self>, key: &mut KeyWriter<'_>);
}

/// Writes the value with its implementation of [`Identity`].
#[derive(Debug)]
pub struct ByIdentity;

/// Writes the identity of the user.
#[derive(Debug)]
pub struct ByUser;

/// Writes the text that the value displays.
#[derive(Debug)]
pub struct ByDisplay;

/// Does not implement [`Way`], so using it is a compile error with the message of [`Way`].
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
