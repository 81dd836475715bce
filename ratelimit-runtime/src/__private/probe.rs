//! Finds out by the type of a value what it can be used for, without a trait bound that the value must satisfy.
//!
//! The compiler resolves a method call on `&&&Wrapper<T>` by removing one reference at a time until a trait is
//! implemented. `probe!` implements one trait for `&&Wrapper<T>` under the narrowest bound on `T`, for `&Wrapper<T>`
//! under a wider one, and for `Wrapper<T>` without any. So the call means the narrowest bound that `T` satisfies.
//!
//! What several arguments carry is then merged, step by step, into one type. The names of methods are long so that no
//! trait in a user's scope shares them.

/// An argument of a function.
pub struct Argument<'a, T: ?Sized>(pub &'a T);

/// An argument that carries nothing, or no argument yet.
#[derive(Debug)]
pub struct Nothing;

/// An argument that carries what is looked for.
pub struct Carrier<'a, T: ?Sized>(pub(super) &'a T);

/// Declares a trait with one method, which the type of a wrapped value resolves.
macro_rules! probe {
    (
        $(#[$meta:meta])* $trait:ident :: $method:ident($wrapper:ident);
        $([$($reference:tt)*] $(if $bound:ident)? => $found:ty: |$value:pat_param| $probed:expr;)*
    ) => {
        $(#[$meta])*
        pub trait $trait {
            type Found;
            fn $method(&self) -> Self::Found;
        }

        $(impl<'a, T: $($bound +)? ?Sized> $trait for $($reference)* $wrapper<'a, T> {
            type Found = $found;
            fn $method(&self) -> $found {
                let $value = self.0;
                $probed
            }
        })*
    };
}

/// Declares a trait that adds what the next argument carries to what was found before. A pair that is missing here is a
/// compile error: more than one argument carries it.
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
    // The value is read from the carrier itself.
    ($(#[$meta:meta])* $merge:ident of carriers) => {
        merge! {
            $(#[$meta])* $merge;
            [] Nothing, Nothing => Nothing: |none, _| none;
            ['a, T: ?Sized] Nothing, Carrier<'a, T> => Carrier<'a, T>: |_, next| next;
            ['a, T: ?Sized] Carrier<'a, T>, Nothing => Carrier<'a, T>: |found, _| found;
            // Nobody has one. A second type that could follow keeps the compiler from expecting the first.
            ['a, T: ?Sized] Carrier<'a, T>, std::convert::Infallible => Carrier<'a, T>: |_, never| match never {};
        }
    };
}

pub(super) use {merge, probe};
