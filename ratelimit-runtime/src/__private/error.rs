//! Return types that can report a refusal by their error, and the compiler messages for those that cannot. The attribute chooses
//! the trait by what it sees of the return type, so that each message has the advice for its case.

use crate::rejection::{FromRejection, Rejection};

/// A `Result` with a response.
#[diagnostic::on_unimplemented(
    message = "`#[rate_limit]` cannot turn a rejection into the error of `{Self}`",
    label = "the error of this return type has no `From<ratelimit::Rejection>`",
    note = "if the error type is yours, write `impl From<ratelimit::Rejection>` for it, and answer with the status `rejection.status()`",
    note = "else return the response of the rejection: `on_limit = |rejection| Ok(rejection.into())`; for that, the response must be that of a web framework whose feature of `ratelimit-runtime` is enabled"
)]
pub trait ResponseOrRejection {
    fn of_rejection(rejection: Rejection) -> Self;
}

/// A `Result` whose error is a tuple with a status.
#[diagnostic::on_unimplemented(
    message = "`#[rate_limit]` cannot turn a rejection into the error of `{Self}`",
    label = "nobody can implement `From<ratelimit::Rejection>` for this tuple",
    note = "write `on_limit = |rejection| Err((rejection.clone().into(), ..))`, and for `..` the other parts, such as `Json(Problem {{ message: rejection.to_string() }})`; `RateLimitLayer` adds `Retry-After`",
    note = "in rocket, the status is `Status::new(rejection.status())`",
    note = "or return an error type of your own, with `impl From<ratelimit::Rejection>`"
)]
pub trait TupleOrRejection {
    fn of_rejection(rejection: Rejection) -> Self;
}

macro_rules! same {
    ($($trait:ident),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<R: FromRejection> $trait for R {
            fn of_rejection(rejection: Rejection) -> Self {
                Self::from_rejection(rejection)
            }
        }
    )*};
}

same!(ResponseOrRejection, TupleOrRejection);
