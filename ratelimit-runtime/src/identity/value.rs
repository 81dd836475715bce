//! `Identity`: the values that say who is limited.

use crate::macros::delegate;
use crate::writer::KeyWriter;
use std::borrow::Cow;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::rc::Rc;
use std::sync::Arc;

/// A value that says who is limited, or that fills a placeholder in the name of a limit.
///
/// These types are identities: strings, numbers, `bool`, `char`, addresses, references, `Option`s and tuples of identities.
/// With the features `uuid` and `ulid`, `uuid::Uuid` and `ulid::Ulid` are identities too. A call whose identity is a `None` is
/// rejected. The attribute also accepts every type that implements [`Display`](std::fmt::Display); elsewhere, wrap a value of
/// such a type in [`ByDisplay`](crate::identity::ByDisplay). Implement `Identity` for your own type to choose which part of it
/// counts, or to keep a secret value out of the store:
///
/// ```
/// use ratelimit::identity::{Identity, KeyWriter};
///
/// struct ApiKey(String);
///
/// impl Identity for ApiKey {
///     fn write(&self, key: &mut KeyWriter<'_>) {
///         key.secret(self.0.as_bytes()); // a keyed hash instead of the key itself
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an identity",
    label = "does not implement `Identity`",
    note = "write a field that is one, as in `by = user.id`, or implement `ratelimit::identity::Identity` for the type",
    note = "for a type of another crate, use `.to_string()`, or `ratelimit::identity::ByDisplay(..)` if it implements `Display`; for `uuid::Uuid` and `ulid::Ulid`, enable the features `uuid` and `ulid` of `ratelimit-runtime`"
)]
pub trait Identity {
    /// Writes the value with one or more calls of the writer's methods. If an implementation writes nothing, there is no
    /// identity, as after a call of [`absent`](KeyWriter::absent).
    fn write(&self, key: &mut KeyWriter<'_>);
}

delegate! { Identity for &T, &mut T, Box<T>, Rc<T>, Arc<T> => { fn write(&self, key: &mut KeyWriter<'_>); } }

impl<T: Identity + ToOwned + ?Sized> Identity for Cow<'_, T> {
    fn write(&self, key: &mut KeyWriter<'_>) {
        (**self).write(key);
    }
}

macro_rules! written {
    ($($($type:ty),+: |$value:ident, $key:ident| $write:expr;)*) => {$($(
        #[allow(clippy::cast_lossless, clippy::unnecessary_cast, clippy::inline_always, reason = "`usize` has no other conversion")]
        impl Identity for $type {
            #[inline(always)]
            fn write(&self, $key: &mut KeyWriter<'_>) {
                let $value = self;
                $write
            }
        }
    )+)*};
}

written! {
    str, String: |text, key| key.text(text);
    u128, i128, bool, char: |value, key| key.display(value);
    u8, u16, u32, u64, usize: |number, key| key.integer(false, *number as u64);
    i8, i16, i32, i64, isize: |number, key| key.integer(*number < 0, number.unsigned_abs() as u64);
    IpAddr: |address, key| key.ip(*address);
    Ipv4Addr, Ipv6Addr: |address, key| key.ip((*address).into());
    SocketAddr: |address, key| key.ip(address.ip());
    SocketAddrV4, SocketAddrV6: |address, key| key.ip((*address.ip()).into());
}

impl<T: Identity> Identity for Option<T> {
    #[inline]
    fn write(&self, key: &mut KeyWriter<'_>) {
        match self {
            Some(identity) => identity.write(key),
            None => key.absent(),
        }
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),+)),* $(,)?) => {$(
        impl<$($name: Identity),+> Identity for ($($name,)+) {
            #[inline]
            fn write(&self, key: &mut KeyWriter<'_>) {
                $(self.$index.write(key);)+
            }
        }
    )*};
}

tuples!((A 0), (A 0, B 1), (A 0, B 1, C 2), (A 0, B 1, C 2, D 3), (A 0, B 1, C 2, D 3, E 4));

/// An identity that is the `Display` text of a value, for types of other crates.
///
/// `by = user.id` accepts anything that implements [`Display`](fmt::Display), without this wrapper. Use the wrapper where a
/// type must be an [`Identity`]: as the `Id` of a [`UserId`](crate::UserId), in an `Option`, and in a [`Key`](crate::Key). In
/// all these places, the identity is the same as that of a `String` with the same text.
///
/// ```
/// # mod other_crate {
/// #     #[derive(Clone, Copy)] pub struct AccountId(pub u64);
/// #     impl std::fmt::Display for AccountId {
/// #         fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "acc-{}", self.0) }
/// #     }
/// # }
/// use other_crate::AccountId;
/// use ratelimit::identity::ByDisplay;
/// use ratelimit::UserId;
///
/// struct CurrentUser { id: AccountId }
///
/// impl UserId for CurrentUser {
///     type Id = ByDisplay<AccountId>;
///
///     fn user_id(&self) -> Option<Self::Id> {
///         Some(ByDisplay(self.id))
///     }
/// }
/// ```
///
/// The text must differ for different callers. Values of more than 64 bytes are stored as a keyed hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByDisplay<T>(pub T);

impl<T: fmt::Display> Identity for ByDisplay<T> {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.display(&self.0);
    }
}

/// The hyphenated text in lower case, as [`Uuid`](uuid::Uuid) displays it.
#[cfg(feature = "uuid")]
impl Identity for uuid::Uuid {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.text(self.hyphenated().encode_lower(&mut Self::encode_buffer()));
    }
}

/// The text of 26 characters in upper case, as [`Ulid`](ulid::Ulid) displays it.
#[cfg(feature = "ulid")]
impl Identity for ulid::Ulid {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.text(self.array_to_str(&mut [0; ulid::ULID_LEN]));
    }
}
