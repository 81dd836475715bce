//! Finds the argument that is the response, for functions that do not return a response. A refusal is written into that
//! argument. The body of that argument holds permits and charges.

use super::probe::{Nothing, merge};
use crate::body::{Held, HoldBody};
use crate::rejection::{FromRejection, Rejection};

/// A response that a function takes as an argument and writes.
pub trait RejectionTarget {
    /// Makes this the response of a refused call.
    fn write_rejection(&mut self, rejection: Rejection);
}

/// An argument of type `&mut T`.
pub struct Target<'a, T: ?Sized>(pub &'a mut T);

/// Finds out whether a refusal can be written into an argument.
pub trait ProbeTarget {
    type Found;
    fn __ratelimit_probe_target(self) -> Self::Found;
}

impl<T: RejectionTarget + ?Sized> ProbeTarget for Target<'_, T> {
    type Found = Self;
    fn __ratelimit_probe_target(self) -> Self {
        self
    }
}

impl<T: ?Sized> ProbeTarget for &Target<'_, T> {
    type Found = Nothing;
    fn __ratelimit_probe_target(self) -> Nothing {
        Nothing
    }
}

merge! {
    /// Merges the next argument into the earlier ones.
    #[diagnostic::on_unimplemented(
        message = "`#[rate_limit]` can write a refusal into more than one argument",
        label = "ambiguous",
        note = "write which one: `on_limit = |rejection| ..`"
    )]
    MergeTarget of Target
}

/// The argument into which a refusal is written.
#[diagnostic::on_unimplemented(
    message = "`#[rate_limit]` cannot turn a rejection into `()`",
    label = "a function without a return value cannot report a refused call",
    note = "write `fallible`, as in `#[rate_limit(count = 5, fallible)]`: the function then returns `Result<(), ratelimit::Rejection>`",
    note = "or return a `Result` whose error type implements `From<ratelimit::Rejection>`",
    note = "or take the response as an argument, as handlers of salvo do: `res: &mut Response`. A refused call is then written into it. Enable the framework's feature of `ratelimit-runtime`",
    note = "or say what a refused call does, for example `on_limit = |rejection| eprintln!(\"{{rejection}}\")`; callers cannot tell it from a success"
)]
pub trait FoundTarget {
    fn reject(self, rejection: Rejection);
}

#[diagnostic::do_not_recommend]
impl<T: RejectionTarget + ?Sized> FoundTarget for Target<'_, T> {
    fn reject(self, rejection: Rejection) {
        self.0.write_rejection(rejection);
    }
}

/// The argument whose body holds permits and charges.
#[diagnostic::on_unimplemented(
    message = "a function that returns `()` has no body that can hold permits and charges until it ends",
    label = "no body, and no argument into which it is written",
    note = "return the response; or take it as an argument, as handlers of salvo do: `res: &mut Response`",
    note = "the feature of the framework must be enabled: `ratelimit-runtime = {{ version = \"..\", features = [\"salvo\"] }}`"
)]
pub trait FoundBody {
    fn hold(self, held: Held);
}

#[diagnostic::do_not_recommend]
impl<'a, T: ?Sized> FoundBody for Target<'a, T>
where
    &'a mut T: HoldBody,
{
    fn hold(self, held: Held) {
        self.0.hold(held);
    }
}

/// The result of a function that writes its response into an argument.
pub trait Written {
    /// Whether the function has written a body. If the function returns an error, the framework later replaces the body with
    /// that error.
    fn is_written(&self) -> bool;
}

impl Written for () {
    fn is_written(&self) -> bool {
        true
    }
}

impl<E> Written for Result<(), E> {
    fn is_written(&self) -> bool {
        self.is_ok()
    }
}

impl Written for Option<()> {
    fn is_written(&self) -> bool {
        self.is_some()
    }
}

/// A `Result` with a response. The attribute chooses between this trait, [`TupleOrRejection`] and [`FromRejection`] by the
/// tokens of the return type, so that each compile error gives the advice for its case.
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
