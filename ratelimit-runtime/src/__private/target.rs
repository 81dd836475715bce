//! Finds the argument into which a refusal is written, for functions without a return value.

use super::probe::{Nothing, merge};
use crate::rejection::Rejection;

/// A response that the caller of a function passes in to be written.
pub trait RejectionTarget {
    /// Makes this the response of a refused call.
    fn write_rejection(&mut self, rejection: Rejection);
}

/// An argument of type `&mut T`.
pub struct Target<'a, T: ?Sized>(pub &'a mut T);

/// An argument into which a refusal can be written.
pub struct FoundIn<'a, T: ?Sized>(&'a mut T);

/// Finds out whether a refusal can be written into an argument.
pub trait ProbeTarget {
    type Found;
    fn __ratelimit_probe_target(self) -> Self::Found;
}

impl<'a, T: RejectionTarget + ?Sized> ProbeTarget for Target<'a, T> {
    type Found = FoundIn<'a, T>;
    fn __ratelimit_probe_target(self) -> FoundIn<'a, T> {
        FoundIn(self.0)
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
    MergeTarget;
    [] Nothing, Nothing => Nothing: |none, _| none;
    ['a, T: ?Sized] Nothing, FoundIn<'a, T> => FoundIn<'a, T>: |_, next| next;
    ['a, T: ?Sized] FoundIn<'a, T>, Nothing => FoundIn<'a, T>: |found, _| found;
    // No argument has this type. A second candidate keeps the compiler from inferring the first one.
    ['a, T: ?Sized] FoundIn<'a, T>, std::convert::Infallible => FoundIn<'a, T>: |_, never| match never {};
}

/// The argument that was found.
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
impl<T: RejectionTarget + ?Sized> FoundTarget for FoundIn<'_, T> {
    fn reject(self, rejection: Rejection) {
        self.0.write_rejection(rejection);
    }
}
