//! The error types that can report a refused call, and words about the others.

use crate::rejection::Rejection;

/// An error type with `From<Rejection>`. It exists for its message, because the one of `From` has no words about limits.
#[diagnostic::on_unimplemented(
    message = "`#[rate_limit]` cannot turn a rejection into the error `{Self}`",
    label = "the error of this return type has no `From<ratelimit::Rejection>`",
    note = "if the type is yours, write `impl From<ratelimit::Rejection> for {Self}`; if it is a type parameter, add the bound `From<ratelimit::Rejection>`",
    note = "if it is a type of another crate, convert each rejection: `on_limit = |rejection| Err(..)`. Keep the status and `Retry-After`, which the framework's response of a rejection has, for example `Err(rejection.into_response().into())`"
)]
pub trait ErrorOfRejection {
    fn of_rejection(rejection: Rejection) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<Rejection>> ErrorOfRejection for E {
    fn of_rejection(rejection: Rejection) -> Self {
        Self::from(rejection)
    }
}
