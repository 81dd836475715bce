//! Identities that are the text which a value displays.

use super::Identity;
use crate::writer::KeyWriter;
use std::fmt;

/// A value of another crate as an identity: the text that it displays.
///
/// `by = user.id` accepts anything that implements [`Display`](fmt::Display), without this wrapper. Use the wrapper where a type must
/// be an [`Identity`]: as the `Id` of a [`UserId`](crate::UserId), in an `Option`, and in a [`Key`](crate::Key). The text is the same
/// identity in all of these forms, and the same as a `String` with this text.
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

impl<T> From<T> for ByDisplay<T> {
    fn from(value: T) -> Self {
        Self(value)
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
