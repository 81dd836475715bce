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

/// Like [`FoundTarget`], for a method that a trait may declare. Its return type belongs to the trait, so the advice begins with
/// what can be written without changing it.
#[diagnostic::on_unimplemented(
    message = "`#[rate_limit]` cannot turn a rejection into `()`",
    label = "a function without a return value cannot report a refused call",
    note = "say what a refused call does, for example `on_limit = |rejection| eprintln!(\"{{rejection}}\")`; callers cannot tell it from a success",
    note = "or, if no trait declares this method, write `fallible`, as in `#[rate_limit(count = 5, fallible)]`: it then returns `Result<(), ratelimit::Rejection>`",
    note = "or, if the trait is yours, let the method return a `Result` whose error type implements `From<ratelimit::Rejection>`"
)]
pub trait FoundTargetOfMethod {
    fn reject(self, rejection: Rejection);
}

#[diagnostic::do_not_recommend]
impl<T: FoundTarget> FoundTargetOfMethod for T {
    fn reject(self, rejection: Rejection) {
        FoundTarget::reject(self, rejection);
    }
}

/// Like [`FromRejection`], for a method that a trait may declare.
#[diagnostic::on_unimplemented(
    message = "`#[rate_limit]` cannot turn a rejection into `{Self}`",
    label = "this return type cannot report a refused call",
    note = "compute what a refused call returns: `on_limit = |rejection| ..`; callers must be able to tell it from a success",
    note = "or, if no trait declares this method, write `fallible`, as in `#[rate_limit(count = 5, fallible)]`: it then returns `Result<{Self}, ratelimit::Rejection>`",
    note = "or, if the trait is yours, let the method return a `Result` whose error type implements `From<ratelimit::Rejection>`"
)]
pub trait MethodOrRejection {
    fn of_rejection(rejection: Rejection) -> Self;
}

#[diagnostic::do_not_recommend]
impl<R: FromRejection> MethodOrRejection for R {
    fn of_rejection(rejection: Rejection) -> Self {
        Self::from_rejection(rejection)
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

/// A `Result` whose error is a tuple, or an `impl Trait`.
#[diagnostic::on_unimplemented(
    message = "`#[rate_limit]` cannot turn a rejection into the error of `{Self}`",
    label = "nobody can implement `From<ratelimit::Rejection>` for a tuple",
    note = "write the error of a refused call, with its status: `on_limit = |rejection| Err(..)`; of axum, `on_limit = |rejection| Err((rejection.clone().into(), ..))`, and for the inner `..` the other parts, such as `Json(Problem {{ message: rejection.to_string() }})`; `RateLimitLayer` adds `Retry-After`",
    note = "in rocket, the status is `Status::new(rejection.status())`",
    note = "or return an error type of your own, with `impl From<ratelimit::Rejection>`"
)]
pub trait TupleOrRejection {
    fn of_rejection(rejection: Rejection) -> Self;
}

#[diagnostic::do_not_recommend]
impl<R: FromRejection> TupleOrRejection for R {
    fn of_rejection(rejection: Rejection) -> Self {
        Self::from_rejection(rejection)
    }
}
