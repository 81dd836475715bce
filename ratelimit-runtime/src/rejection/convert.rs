//! `FromRejection`: implemented by the return values that can report a rejection.

use super::Rejection;

/// A return type that can carry a [`Rejection`].
///
/// It is implemented for `Result<T, E>` where `E: From<Rejection>`, and for the response types of the enabled framework
/// features. Implement it for your own return types that are not a `Result`:
///
/// ```
/// use ratelimit::{FromRejection, Rejection, rate_limit};
///
/// enum Outcome {
///     Done,
///     NotNow(Rejection),
/// }
///
/// impl FromRejection for Outcome {
///     fn from_rejection(rejection: Rejection) -> Self {
///         Self::NotNow(rejection)
///     }
/// }
///
/// #[rate_limit(key = "cleanup", time = 60, count = 1)]
/// async fn clean_up() -> Outcome {
///     Outcome::Done
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// assert!(matches!(clean_up().await, Outcome::Done));
/// assert!(matches!(clean_up().await, Outcome::NotNow(_)));
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`#[rate_limit]` cannot turn a rejection into `{Self}`",
    label = "this return type cannot report a refused call",
    note = "write `fallible`, as in `#[rate_limit(count = 5, fallible)]`: the function then returns `Result<{Self}, ratelimit::Rejection>`",
    note = "or return a `Result` whose error type implements `From<ratelimit::Rejection>`",
    note = "or compute what a refused call returns: `on_limit = |rejection| ..`; callers must be able to tell it from a success"
)]
#[cfg_attr(
    not(feature = "_web"),
    diagnostic::on_unimplemented(
        note = "to return a response of a web framework, enable its feature: `ratelimit-runtime = {{ version = \"..\", features = [\"axum\"] }}`"
    )
)]
pub trait FromRejection {
    /// Converts a rejection into the return value of the call.
    fn from_rejection(rejection: Rejection) -> Self;
}

/// An error type with `From<Rejection>`. This trait exists for its compile error, because the compile error of `From` does not
/// mention limits.
#[diagnostic::on_unimplemented(
    message = "`#[rate_limit]` cannot turn a rejection into the error `{Self}`",
    label = "the error of this return type has no `From<ratelimit::Rejection>`",
    note = "convert each rejection: `on_limit = |rejection| Err(..)`, with the status `rejection.status()` if the error has one",
    note = "or, if the type is a struct or an enum of yours, write `impl From<ratelimit::Rejection> for {Self}`, and answer with the status `rejection.status()`"
)]
#[doc(hidden)]
pub trait ErrorOfRejection {
    /// Converts a rejection into the error.
    fn of_rejection(rejection: Rejection) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<Rejection>> ErrorOfRejection for E {
    fn of_rejection(rejection: Rejection) -> Self {
        Self::from(rejection)
    }
}

impl<T, E: ErrorOfRejection> FromRejection for Result<T, E> {
    fn from_rejection(rejection: Rejection) -> Self {
        Err(E::of_rejection(rejection))
    }
}
