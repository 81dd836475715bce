//! Warns about functions that serve many clients or users, if their limit has no `by`, their refusals look like a success, a
//! cache answers before the limit, or the limit ends before the response. Stable Rust emits a warning of this library only as a
//! lint of the compiler. The lint is `unused_must_use`: the generated code ignores the result of a method that must be used. The
//! lint `deprecated` would be silenced by an `#[allow(deprecated)]` that is about other code of the same function.

use crate::body::hold_body::StreamingResponse;
use crate::identity::UserId;
use futures_core::Stream;
use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

/// The extractors and requests of web frameworks. A function with such an argument serves many clients.
pub trait RequestArgument {}

impl<T: RequestArgument + ?Sized> RequestArgument for &T {}
impl<T: RequestArgument + ?Sized> RequestArgument for &mut T {}

/// The type of an argument.
#[derive(Debug, Default)]
pub struct ArgumentOf<T: ?Sized>(PhantomData<T>);

impl<T: ?Sized> ArgumentOf<T> {
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// A type of the standard library that frameworks can extract or send. Functions that serve no clients use such types too.
pub trait Plain {}

impl Plain for () {}
impl Plain for String {}
impl<T> Plain for Vec<T> {}
impl<T, const N: usize> Plain for [T; N] {}
impl<T: ?Sized> Plain for Arc<T> {}
impl<T: ?Sized> Plain for Box<T> {}
impl<T: ToOwned + ?Sized> Plain for Cow<'_, T> {}
impl<T> Plain for Option<T> {}
impl<T, E> Plain for Result<T, E> {}

/// Finds out who calls a function, from the type of an argument or of the result. The type selects the implementation, as
/// explained in `probe`. Each row below has its own numbers of references, and there are no gaps between the rows. A new
/// framework gets the number 3. For that, add one to all numbers from 3 on, here and in `frameworks/`. The compiler tries the
/// highest number first:
///
/// | references | bound | where |
/// |---|---|---|
/// | 11 | a user | here |
/// | 10 | a type of the standard library, also behind an alias | here |
/// | 9 to 3 | an extractor or a response of axum (9 and 8), actix-web, poem, rocket (5 and 4), salvo | `frameworks/` |
/// | 2, 1 | a user, a known request or result of a tool | here and in `frameworks/`, for generic types; the lifetime bounds of the extractors would be errors for them |
/// | 0 | nobody | here |
pub trait ProbeCallers {
    type Callers;
    fn __ratelimit_callers(&self) -> Self::Callers;
}

/// Implements the probe for types with this bound. A higher number of references takes precedence.
macro_rules! callers {
    ($($wrapper:ident [$($reference:tt)*] $(for<$($lifetime:lifetime),+>)? $(if $bound:path)? => $callers:ident;)*) => {$(
        impl<$($($lifetime,)+)? T: $($bound +)? ?Sized> crate::__private::ProbeCallers
            for $($reference)* crate::__private::$wrapper<T>
        {
            type Callers = crate::__private::$callers;
            fn __ratelimit_callers(&self) -> crate::__private::$callers {
                crate::__private::$callers
            }
        }
    )*};
}

pub(crate) use callers;

callers! {
    ArgumentOf [&&&&&&&&&&&] if UserId => OfUsers;
    ArgumentOf [&&&&&&&&&&] if Plain => OfNobody;
    ReturnOf [&&&&&&&&&&] if Plain => OfNobody;
    ArgumentOf [&&] if UserId => OfUsers;
    ArgumentOf [&] if RequestArgument => OfClients;
    ArgumentOf [] => OfNobody;
    ReturnOf [] => OfNobody;
}

/// The result of a method that causes a warning. The method returns it as an `impl Trait` of a trait whose values must be used,
/// because the compiler then proposes no change that only silences the warning.
struct Warning;

macro_rules! warnings {
    ($($warning:ident = $note:literal;)*) => {$(
        #[must_use = $note]
        pub trait $warning {}
        impl $warning for Warning {}
    )*};
}

warnings! {
    RefusalLooksLikeSuccess = "the client sees a success when its call is refused: return the rejection, for example by `fallible` instead of `on_limit`; if a success is intended, write it as a function, as in `on_limit = ignore`";
    RefusalLooksLikeNothing = "the client sees an empty answer or a 404 when its call is refused: return the rejection, for example by `fallible` instead of `on_limit`; if this is intended, write it as a function, as in `on_limit = nothing`";
    LimitBehindCache = "this cache answers before the limit: a call that it can answer is not limited, and it may store a refusal. To limit all calls, write `#[rate_limit(..)]` below it; to limit only what it cannot answer, move the body into a function of its own that has the limit";
    LimitEndsBeforeStream = "the limit ends when the function returns, before the stream has been sent: write `until = \"body_end\"`, or `until = \"return\"` if this is intended";
    LimitEndsBeforeSocket = "the permit is returned at the upgrade, before the socket is used: take one with `limiter.permit(..)` and move it into the task of the socket, or write `until = \"return\"` if this is intended";
    RefusalWithoutAnswer = "a refused subscriber gets no answer, because jsonrpsee sends no error that a subscription returns: reject the subscription, as in `on_limit = |rejection| { tokio::spawn(pending.reject(ErrorObject::owned(-32029, rejection.to_string(), None::<()>))); Ok(()) }`";
}

/// A caller that is not known to be a client.
#[derive(Debug)]
pub struct OfNobody;

impl OfNobody {
    pub const fn limit_without_identity(self) {}
    pub const fn refusal_looks_like_a_success(self) {}
    pub const fn refusal_looks_like_nothing(self) {}
}

/// Declares a kind of callers. `note` is the warning about a limit that does not say who is limited.
macro_rules! served {
    ($kind:ident: $shared:ident = $note:literal) => {
        #[must_use = $note]
        pub trait $shared {}
        impl $shared for Warning {}

        #[derive(Debug)]
        pub struct $kind;

        impl $kind {
            pub const fn limit_without_identity(self) -> impl $shared {
                Warning
            }

            pub const fn refusal_looks_like_a_success(self) -> impl RefusalLooksLikeSuccess {
                Warning
            }

            pub const fn refusal_looks_like_nothing(self) -> impl RefusalLooksLikeNothing {
                Warning
            }
        }
    };
}

served! {
    OfClients: LimitSharedByAllClients = "all clients share this limit, so one of them can use it up for everybody: write who is limited, such as `by = \"ip\"` or `by = \"header:x-api-key\"`, or `by = \"global\"` if this is intended"
}

served! {
    OfUsers: LimitSharedByAllUsers = "all users share this limit, so one of them can use it up for everybody: write `by = \"user\"`, or `by = \"global\"` if this is intended"
}

/// A cache around a function with a limit.
#[derive(Debug)]
pub struct Cache;

impl Cache {
    pub const fn limit_behind_a_cache() -> impl LimitBehindCache {
        Warning
    }
}

/// The return type of a function.
#[derive(Debug, Default)]
pub struct ReturnOf<T: ?Sized>(PhantomData<T>);

impl<T: ?Sized> ReturnOf<T> {
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// Warns about a function whose limit ends before its stream. The return type selects the trait, as explained in
/// `__private::probe`.
pub trait OfStream {
    fn limit_without_stream(&self) -> impl LimitEndsBeforeStream {
        Warning
    }
}

impl<T: StreamingResponse + ?Sized> OfStream for &&&ReturnOf<T> {}
impl<T: Stream> OfStream for &&ReturnOf<T> {}
impl<T: Stream, E> OfStream for &ReturnOf<Result<T, E>> {}
impl<T: Stream> OfStream for &ReturnOf<Option<T>> {}

/// Does not warn: the function returns no stream.
pub trait NoStream {
    fn limit_without_stream(&self);
}

impl<T: ?Sized> NoStream for ReturnOf<T> {
    fn limit_without_stream(&self) {}
}

/// The return type `impl Stream`, which cannot be written again.
#[derive(Debug)]
pub struct OpaqueStream;

impl OfStream for OpaqueStream {}

/// The argument of a function that upgrades a connection to a WebSocket.
#[derive(Debug)]
pub struct Upgrade;

impl Upgrade {
    pub const fn limit_without_socket() -> impl LimitEndsBeforeSocket {
        Warning
    }
}

/// The argument of a function that answers a subscription of jsonrpsee.
#[derive(Debug)]
pub struct Subscription;

impl Subscription {
    pub const fn refusal_without_answer() -> impl RefusalWithoutAnswer {
        Warning
    }
}
