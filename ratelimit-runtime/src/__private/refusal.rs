//! Chooses how a function whose result is a response, or an error, reports a refusal: by the types in its return type.

use super::warn::ReturnOf;
use crate::rejection::{FromRejection, Rejection};
use std::error::Error;
use std::fmt;
use std::ops::Deref;

/// An error that nobody else knows. A type that it converts into accepts every error.
#[derive(Debug)]
pub enum Unknown {}

impl fmt::Display for Unknown {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl Error for Unknown {}

/// A box that accepts every error and shows it: `Box<dyn Error>`, `anyhow::Error` and `eyre::Report`. A server does not make a
/// response of such an error.
pub trait BoxedError: From<Rejection> {}

impl<E: Deref<Target: Error> + From<Rejection> + From<Unknown>> BoxedError for E {}

/// Finds out how a refusal is reported. The return type selects the implementation, as explained in `probe`. A response takes
/// precedence over a boxed error, and any other error that is made for refusals takes precedence over a response.
pub trait ProbeRefusal {
    type Way;
    fn __ratelimit_refusal(&self) -> Self::Way;
}

macro_rules! ways {
    ($([$($reference:tt)*] [$($generics:tt)*] $returned:ty => $way:ident;)*) => {$(
        impl<$($generics)*> ProbeRefusal for $($reference)* ReturnOf<$returned> {
            type Way = $way;
            fn __ratelimit_refusal(&self) -> $way {
                $way
            }
        }
    )*};
}

#[cfg(feature = "_http")]
ways! {
    [&&&&&&&&] [B: From<Vec<u8>>, E: BoxedError] Result<http::Response<B>, E> => AsBytes;
    [&&&&&&&] [B: From<String>, E: BoxedError] Result<http::Response<B>, E> => AsText;
    [&&&&&&] [B: Default, E: BoxedError] Result<http::Response<B>, E> => AsHead;
    [&&&] [B: From<Vec<u8>>, E] Result<http::Response<B>, E> => AsBytes;
    [&&] [B: From<String>, E] Result<http::Response<B>, E> => AsText;
    [&] [B: Default, E] Result<http::Response<B>, E> => AsHead;
}

ways! {
    [&&&&&] [T, E: BoxedError] Result<T, E> => AsBoxedError;
    [&&&&] [R: FromRejection] R => AsError;
    [] [R] R => AsError;
}

/// A response with the text of the answer, as bytes.
#[derive(Debug)]
pub struct AsBytes;

/// A response with the text of the answer.
#[derive(Debug)]
pub struct AsText;

/// A response without a body, because its body cannot be made from text.
#[derive(Debug)]
pub struct AsHead;

/// An error that accepts every error.
#[derive(Debug)]
pub struct AsBoxedError;

/// The error of the return type, which is made for refusals.
#[derive(Debug)]
pub struct AsError;

impl AsBoxedError {
    /// Notes that somebody has to make a response of the error.
    pub fn hidden(self, rejection: Rejection) -> Rejection {
        rejection.awaiting_answer()
    }
}

impl AsError {
    pub fn hidden(self, rejection: Rejection) -> Rejection {
        rejection
    }
}

/// A `Result` with a response. The attribute chooses between this trait, [`TupleOrRejection`](super::TupleOrRejection) and
/// [`FromRejection`] by the tokens of the return type, so that each compile error gives the advice for its case.
#[diagnostic::on_unimplemented(
    message = "`#[rate_limit]` cannot turn a rejection into the error of `{Self}`",
    label = "the error of this return type has no `From<ratelimit::Rejection>`",
    note = "return the response of the rejection: `on_limit = |rejection| Ok(rejection.into())`; the response must be that of a web framework whose feature of `ratelimit-runtime` is enabled, or an `http::Response` whose body can be made from text",
    note = "or, if the error type is a struct or an enum of yours, write `impl From<ratelimit::Rejection>` for it, and answer with the status `rejection.status()`"
)]
pub trait ResponseOrRejection<Way> {
    fn of_rejection(way: Way, rejection: Rejection) -> Self;
}

#[diagnostic::do_not_recommend]
impl<R: FromRejection> ResponseOrRejection<AsError> for R {
    fn of_rejection(_: AsError, rejection: Rejection) -> Self {
        Self::from_rejection(rejection)
    }
}

#[diagnostic::do_not_recommend]
impl<T, E: BoxedError> ResponseOrRejection<AsBoxedError> for Result<T, E> {
    fn of_rejection(way: AsBoxedError, rejection: Rejection) -> Self {
        Err(way.hidden(rejection).into())
    }
}

#[cfg(feature = "_http")]
mod http_response {
    use super::{AsBytes, AsHead, AsText, ResponseOrRejection};
    use crate::frameworks::http::refusal;
    use crate::rejection::Rejection;
    use http::Response;
    use http::header::CONTENT_TYPE;

    macro_rules! answered {
        ($($way:ident if $bound:path: |$response:ident| $made:expr;)*) => {$(
            #[diagnostic::do_not_recommend]
            impl<B: $bound, E> ResponseOrRejection<$way> for Result<Response<B>, E> {
                fn of_rejection(_: $way, rejection: Rejection) -> Self {
                    let $response = refusal(&rejection);
                    Ok($made)
                }
            }
        )*};
    }

    answered! {
        AsBytes if From<Vec<u8>>: |response| response.map(B::from);
        AsText if From<String>: |response| response.map(|body| String::from_utf8_lossy(&body).into_owned().into());
        AsHead if Default: |response| {
            let mut response = response.map(|_| B::default());
            response.headers_mut().remove(CONTENT_TYPE);
            response
        };
    }
}
