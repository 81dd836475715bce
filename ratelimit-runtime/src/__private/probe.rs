//! Probes: trait lookups that find out at compile time which traits the type of a value implements.
//!
//! The compiler resolves a method call on `&&&Wrapper<T>` by removing one reference at a time until a trait is implemented.
//! `probe!` implements one trait for `&&Wrapper<T>` under the narrowest bound on `T`, for `&Wrapper<T>` under a wider bound,
//! and for `Wrapper<T>` without a bound. So the call selects the narrowest bound that `T` satisfies.
//!
//! The results of several arguments are then merged, one after another, into one type. The methods have long names so that
//! they do not conflict with methods of a user's traits.

/// An argument of a function.
pub struct Argument<'a, T: ?Sized>(pub &'a T);

/// The result for an argument that lacks the value. A merge starts with it.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

/// The result for an argument that has the value.
pub struct Carrier<'a, T: ?Sized>(pub(super) &'a T);

/// Declares a trait with one method. The type of the wrapped value selects its implementation.
macro_rules! probe {
    (
        $(#[$meta:meta])* $trait:ident :: $method:ident($wrapper:ident);
        $([$($reference:tt)*] $(if $bound:ident $(& $more:ident)?)? => $found:ty: |$value:pat_param| $probed:expr;)*
    ) => {
        $(#[$meta])*
        pub trait $trait {
            type Found;
            fn $method(&self) -> Self::Found;
        }

        $(impl<'a, T: $($bound + $($more +)?)? ?Sized> $trait for $($reference)* $wrapper<'a, T> {
            type Found = $found;
            fn $method(&self) -> $found {
                let $value = self.0;
                $probed
            }
        })*
    };
}

/// Declares a trait that merges the result of the next argument into the earlier results. If more than one argument has the
/// value, the merge has no implementation, which is a compile error.
macro_rules! merge {
    (
        $(#[$meta:meta])* $merge:ident;
        $([$($generic:tt)*] $left:ty, $right:ty => $found:ty: |$a:pat_param, $b:pat_param| $value:expr;)*
    ) => {
        $(#[$meta])*
        pub trait $merge<Next> {
            type Found;
            fn merge(self, next: Next) -> Self::Found;
        }

        $(#[diagnostic::do_not_recommend]
        impl<$($generic)*> $merge<$right> for $left {
            type Found = $found;
            fn merge(self, next: $right) -> $found {
                let ($a, $b) = (self, next);
                $value
            }
        })*
    };
    // The short form: at most one argument may have the value, and the merged result is the result for that argument.
    ($(#[$meta:meta])* $merge:ident of $found:ident) => {
        merge! {
            $(#[$meta])* $merge;
            [] Nothing, Nothing => Nothing: |none, _| none;
            ['a, T: ?Sized] Nothing, $found<'a, T> => $found<'a, T>: |_, next| next;
            ['a, T: ?Sized] $found<'a, T>, Nothing => $found<'a, T>: |found, _| found;
            // No argument has the type `Infallible`. A second implementation keeps the compiler from inferring the first one.
            ['a, T: ?Sized] $found<'a, T>, std::convert::Infallible => $found<'a, T>: |_, never| match never {};
        }
    };
}

pub(super) use {merge, probe};
