//! Finds headers and users among the arguments of a function, by their types. See [`probe`](super::probe) for how that
//! works.

use super::probe::Argument;
use crate::identity::{Identity, RequestHeaders, UserId};
use smallvec::SmallVec;

/// The value of a header, owned: the arguments may be moved before the key is written.
#[derive(Clone)]
pub struct HeaderValue(SmallVec<[u8; 64]>);

impl HeaderValue {
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// No argument so far, or an argument that carries none.
#[derive(Debug)]
pub struct Nothing;

/// An argument that carries what is looked for.
pub struct Carrier<'a, T: ?Sized>(&'a T);

/// Chosen first.
pub trait ProbeHeaders<'a, T: ?Sized> {
    fn __ratelimit_probe_headers(&self) -> Carrier<'a, T>;
}

impl<'a, T: RequestHeaders + ?Sized> ProbeHeaders<'a, T> for &Argument<'a, T> {
    fn __ratelimit_probe_headers(&self) -> Carrier<'a, T> {
        Carrier(self.0)
    }
}

/// Chosen last.
pub trait ProbeNoHeaders {
    fn __ratelimit_probe_headers(&self) -> Nothing;
}

impl<T: ?Sized> ProbeNoHeaders for Argument<'_, T> {
    fn __ratelimit_probe_headers(&self) -> Nothing {
        Nothing
    }
}

/// Chosen first.
pub trait ProbeUser<'a, T: ?Sized> {
    fn __ratelimit_probe_user(&self) -> Carrier<'a, T>;
}

impl<'a, T: UserId + ?Sized> ProbeUser<'a, T> for &Argument<'a, T> {
    fn __ratelimit_probe_user(&self) -> Carrier<'a, T> {
        Carrier(self.0)
    }
}

/// Chosen last.
pub trait ProbeNoUser {
    fn __ratelimit_probe_user(&self) -> Nothing;
}

impl<T: ?Sized> ProbeNoUser for Argument<'_, T> {
    fn __ratelimit_probe_user(&self) -> Nothing {
        Nothing
    }
}

/// Adds what the next argument carries to what was found before.
#[diagnostic::on_unimplemented(
    message = "`by = \"header:..\"`: more than one argument carries headers",
    label = "which of them?",
    note = "name the one that counts, and hash what may be a token: implement `ratelimit::Identity` for a type of your own"
)]
pub trait MergeHeaders<Next> {
    type Found;
    fn merge(self, next: Next) -> Self::Found;
}

/// Adds what the next argument carries to what was found before.
#[diagnostic::on_unimplemented(
    message = "`by = \"user\"`: more than one argument is a user",
    label = "which of them?",
    note = "name the one that counts: `by = user.id`"
)]
pub trait MergeUser<Next> {
    type Found;
    fn merge(self, next: Next) -> Self::Found;
}

/// Nobody has one. A second type that could follow keeps the compiler from expecting the first.
#[derive(Debug)]
pub enum Never {}

macro_rules! merge {
    ($($merge:ident),*) => {$(
        #[diagnostic::do_not_recommend]
        impl $merge<Nothing> for Nothing {
            type Found = Nothing;
            fn merge(self, _: Nothing) -> Nothing {
                Nothing
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'a, T: ?Sized> $merge<Carrier<'a, T>> for Nothing {
            type Found = Carrier<'a, T>;
            fn merge(self, next: Carrier<'a, T>) -> Carrier<'a, T> {
                next
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'a, T: ?Sized> $merge<Nothing> for Carrier<'a, T> {
            type Found = Carrier<'a, T>;
            fn merge(self, _: Nothing) -> Carrier<'a, T> {
                self
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'a, T: ?Sized> $merge<Never> for Carrier<'a, T> {
            type Found = Carrier<'a, T>;
            fn merge(self, never: Never) -> Carrier<'a, T> {
                match never {}
            }
        }
    )*};
}

merge!(MergeHeaders, MergeUser);

/// What was found among all arguments.
#[diagnostic::on_unimplemented(
    message = "`by = \"header:..\"`: no argument of this function carries the headers of the request",
    label = "needs an argument such as `HeaderMap` or the request",
    note = "add such an argument (the framework's feature of `ratelimit-runtime` has to be on), or implement `ratelimit::RequestHeaders` for your own type"
)]
pub trait FoundHeaders {
    fn header(self, name: &str) -> Option<HeaderValue>;
}

#[diagnostic::do_not_recommend]
impl<T: RequestHeaders + ?Sized> FoundHeaders for Carrier<'_, T> {
    fn header(self, name: &str) -> Option<HeaderValue> {
        self.0.header(name).map(|value| HeaderValue(SmallVec::from_slice(value)))
    }
}

/// What was found among all arguments.
#[diagnostic::on_unimplemented(
    message = "`by = \"user\"`: no argument of this function is a user",
    label = "needs an argument whose type implements `UserId`",
    note = "implement `ratelimit::UserId` for the type of the user, or name the value: `by = user.id`"
)]
pub trait FoundUser {
    type Id: Identity;
    fn found(self) -> Option<Self::Id>;
}

#[diagnostic::do_not_recommend]
impl<T: UserId + ?Sized> FoundUser for Carrier<'_, T> {
    type Id = T::Id;
    fn found(self) -> Option<T::Id> {
        self.0.user_id()
    }
}
