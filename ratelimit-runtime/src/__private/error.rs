//! The error types that can report a refused call, and words about the others.

use crate::rejection::Rejection;

/// An error type with `From<Rejection>`. It exists for its message, because the one of `From` has no words about limits.
#[diagnostic::on_unimplemented(
    message = "`#[rate_limit]` cannot turn a rejection into the error `{Self}`",
    label = "the error of this return type has no `From<ratelimit::Rejection>`",
    note = "if the type is yours, write `impl From<ratelimit::Rejection> for {Self}`; if it is a type parameter, add the bound `From<ratelimit::Rejection>`",
    note = "if it is a tuple or a type of another crate, and the function returns a response, write `on_limit = |rejection| Ok(rejection.into_response())`; else convert each rejection: `on_limit = |rejection| Err(..)`, and keep the status and `Retry-After`"
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
