//! Who calls, as requests say it: by the user that was authenticated, or by a header.

use super::Identity;
use std::sync::Arc;

/// Something that knows the user who calls: what an extractor or a middleware has made of a session or a token.
///
/// `by = "user"` finds the argument by this trait, whatever its name. Implement it for the type that proves who calls,
/// not for what the caller only claims:
///
/// ```
/// use ratelimit::{Rejection, UserId, rate_limit};
///
/// struct CurrentUser { id: u64 }
///
/// impl UserId for CurrentUser {
///     type Id = u64;
///
///     fn user_id(&self) -> Option<u64> {
///         Some(self.id)
///     }
/// }
///
/// #[rate_limit(time = "1h", count = 20, by = "user")]
/// async fn export(user: CurrentUser) -> Result<(), Rejection> {
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not know the user",
    note = "implement `ratelimit::UserId` for the type, or write the value, as in `by = user.id`"
)]
pub trait UserId {
    /// What tells users apart: a number, a `String`, an `Arc<str>`, anything that is an [`Identity`].
    type Id: Identity + 'static;

    /// The user, if there is one. `None` refuses the call: users that are not logged in do not share one limit.
    fn user_id(&self) -> Option<Self::Id>;
}

/// Something that carries the headers of a request.
///
/// `by = "header:x-api-key"` finds the argument by this trait. Implement it for a request type of your own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not have the headers of a request",
    note = "implement `ratelimit::RequestHeaders` for the type, or write a value, as in `by = key`"
)]
pub trait RequestHeaders {
    /// The value of a header, whose name is given in lower case. `None` refuses the call: if it is missing, and if it
    /// is there more than once, since whoever checks it may look at another one.
    fn header(&self, name: &str) -> Option<&[u8]>;
}

macro_rules! through {
    ($($type:ty),*) => {$(
        impl<T: UserId + ?Sized> UserId for $type {
            type Id = T::Id;

            fn user_id(&self) -> Option<T::Id> {
                (**self).user_id()
            }
        }

        impl<T: RequestHeaders + ?Sized> RequestHeaders for $type {
            fn header(&self, name: &str) -> Option<&[u8]> {
                (**self).header(name)
            }
        }
    )*};
}

through!(&T, &mut T, Box<T>, Arc<T>);

impl<T: UserId> UserId for Option<T> {
    type Id = T::Id;

    fn user_id(&self) -> Option<T::Id> {
        self.as_ref()?.user_id()
    }
}
