//! Finds the headers and the user of a request among the arguments of a function.

use super::probe::{Argument, Carrier, Nothing, merge, probe};
use crate::identity::{Identity, RequestHeaders, UserId};
use smallvec::SmallVec;

/// The value of a header. It is a copy, because the arguments may be moved before the key is written.
pub(super) type HeaderValue = SmallVec<[u8; 64]>;

probe! {
    /// Finds out whether an argument has the headers of the request.
    ProbeHeaders::__ratelimit_probe_headers(Argument);
    [&] if RequestHeaders => Carrier<'a, T>: |argument| Carrier(argument);
    [] => Nothing: |_| Nothing;
}

probe! {
    /// Finds out whether an argument is a user.
    ProbeUser::__ratelimit_probe_user(Argument);
    [&] if UserId => Carrier<'a, T>: |argument| Carrier(argument);
    [] => Nothing: |_| Nothing;
}

merge! {
    /// Merges the headers of the next argument into the earlier results.
    #[diagnostic::on_unimplemented(
        message = "`by = \"header:..\"`: more than one argument has headers",
        label = "ambiguous",
        note = "implement `ratelimit::identity::Identity` for your own type, and hash the value if it may be a token"
    )]
    MergeHeaders of Carrier
}

merge! {
    /// Merges the user of the next argument into the earlier results.
    #[diagnostic::on_unimplemented(
        message = "`by = \"user\"`: more than one argument is a user",
        label = "ambiguous",
        note = "write which one: `by = user.id`"
    )]
    MergeUser of Carrier
}

/// The headers that were found among all arguments.
#[diagnostic::on_unimplemented(
    message = "`by = \"header:..\"`: no argument of this function has the headers of the request",
    label = "add an argument such as `HeaderMap` or the request",
    note = "enable the framework's feature of `ratelimit-runtime`, or implement `ratelimit::identity::RequestHeaders` for your own type",
    note = "in a function that cannot have such an argument, write `by = ratelimit::context::header(\"..\")` and add `RateLimitLayer::new().keep_header(\"..\")` to the service"
)]
#[cfg_attr(
    feature = "rmcp-3",
    diagnostic::on_unimplemented(
        note = "in a tool or prompt of rmcp, add `context: RequestContext<RoleServer>`, which has the HTTP request"
    )
)]
pub trait FoundHeaders {
    fn header(self, name: &str) -> Option<HeaderValue>;
}

#[diagnostic::do_not_recommend]
impl<T: RequestHeaders + ?Sized> FoundHeaders for Carrier<'_, T> {
    fn header(self, name: &str) -> Option<HeaderValue> {
        self.0.header(name).map(SmallVec::from_slice)
    }
}

/// The user that was found among all arguments.
#[diagnostic::on_unimplemented(
    message = "`by = \"user\"`: no argument of this function is a user",
    label = "add an argument whose type implements `UserId`",
    note = "implement `ratelimit::UserId` for the type of the user, or write the value: `by = user.id`",
    note = "a user in salvo's `Depot` has no type there: write it, as in `by = depot.get_typed::<User>().ok().map(|user| user.id)`"
)]
#[cfg_attr(
    feature = "rmcp-3",
    diagnostic::on_unimplemented(
        note = "a user in a request of rmcp has no type there: add `context: RequestContext<RoleServer>`, and write it, as in `by = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<User>()).map(|user| user.id)`"
    )
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
