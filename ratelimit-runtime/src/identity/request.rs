//! The identities in a request: the authenticated user, and headers.

use super::Identity;
use crate::macros::delegate;
use std::sync::Arc;

/// A type that knows the user who calls, such as an extractor for a session or a token.
///
/// `by = "user"` uses this trait to find the argument that is the user. Implement it for the type that proves who calls, not
/// for a value that the caller only claims:
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
    /// The value that distinguishes users: a number, a `String`, an `Arc<str>`, or any other [`Identity`].
    type Id: Identity + 'static;

    /// Returns the user. A call with `None` is rejected, so users who are not logged in do not share one limit.
    fn user_id(&self) -> Option<Self::Id>;
}

/// A type that has the headers of a request.
///
/// `by = "header:x-api-key"` uses this trait to find the argument that has the headers. Implement it for your own request type,
/// as in the example of [`header_lines`](Self::header_lines).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not have the headers of a request",
    note = "implement `ratelimit::identity::RequestHeaders` for the type, or write a value, as in `by = key`"
)]
pub trait RequestHeaders {
    /// Calls `line` with the value of each line of this header, in the order of arrival. `name` is in lower case.
    ///
    /// ```
    /// use ratelimit::identity::RequestHeaders;
    ///
    /// struct Message {
    ///     headers: Vec<(String, Vec<u8>)>, // with names in lower case
    /// }
    ///
    /// impl RequestHeaders for Message {
    ///     fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
    ///         self.headers.iter().filter(|(known, _)| known == name).for_each(|(_, value)| line(value));
    ///     }
    /// }
    /// ```
    fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8]));

    /// Returns the value of a header. `name` is in lower case. Returns `None` if the header is missing. Also returns `None` if
    /// the header occurs more than once, because the code that verifies the header may read another line than this method. A
    /// call with `None` is rejected.
    fn header(&self, name: &str) -> Option<&[u8]> {
        let (mut found, mut several) = (None, false);
        self.header_lines(name, &mut |line| several |= found.replace(line).is_some());
        found.filter(|_| !several)
    }
}

delegate! {
    UserId for &T, &mut T, Box<T>, Arc<T> => {
        type Id;
        fn user_id(&self) -> Option<T::Id>;
    }
}

delegate! {
    RequestHeaders for &T, &mut T, Box<T>, Arc<T> => {
        fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8]));
        fn header(&self, name: &str) -> Option<&[u8]>;
    }
}

impl<T: UserId> UserId for Option<T> {
    type Id = T::Id;

    fn user_id(&self) -> Option<T::Id> {
        self.as_ref()?.user_id()
    }
}
