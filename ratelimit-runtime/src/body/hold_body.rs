//! `HoldBody`: responses whose body can hold permits and charges.

use super::Held;
use crate::macros::opaque;
use crate::rejection::{FromRejection, Rejection};

/// A response whose body can hold permits and charges until it ends.
///
/// `until = "body_end"`, [`Permit::hold`](crate::Permit::hold) and [`Charge::settle_on_end`](crate::Charge::settle_on_end) need
/// this trait. It is implemented for:
///
/// | type | holds until |
/// |---|---|
/// | `Result<T, E>`, `Option<T>`, and tuples such as `(StatusCode, HeaderMap, T)`, if `T` can hold | `T` ends; an `Err` or a `None` ends at once |
/// | `axum::body::Body`, `http::Response<Body>` (axum's `Response`) | the body ends |
/// | axum's `Sse<S>`, which becomes a [`Holding`](crate::body::Holding) | the stream ends |
/// | rocket's `ByteStream<S>`, `TextStream<S>`, `EventStream<S>`, `ReaderStream<S>` and `NamedFile`, which become a `Holding` | the body ends |
/// | `poem::Body`, `poem::Response` | the body ends |
/// | poem's `SSE`, which becomes a `Response` | the stream ends |
/// | salvo's `ResBody`, `Response` and `&mut Response` | the body ends |
/// | `HeldBody<B>` for each `http_body::Body`, `http::Response<HeldBody<B>>` | the body ends |
/// | actix-web's `HttpResponse<B>` for each `MessageBody`, which becomes an `HttpResponse` | the body ends |
/// | `tonic::Response<Pin<Box<dyn Stream<..> + Send>>>` | the stream ends |
/// | `impl Stream` as a return type, also in a `Result`; `Pin<Box<dyn Stream<..> + Send>>`, also without `Send` | the stream ends |
/// | any other stream of a service of tonic, declared as `type ListStream = Holding<ReceiverStream<..>>` | the stream ends |
///
/// A body ends when the server has taken its last frame, when it fails, or when it is dropped because the client went away. A
/// body that the server never polls ends when it is dropped.
///
/// Implement it for your own responses: store the [`Held`] beside the body, and call [`Held::count`] and
/// [`Held::complete`].
///
/// ```
/// use ratelimit::body::{Held, HoldBody};
///
/// struct Download {
///     chunks: Vec<Vec<u8>>,
///     held: Held,
/// }
///
/// impl HoldBody for Download {
///     type Output = Self;
///
///     fn hold(mut self, held: Held) -> Self {
///         self.held.merge(held); // each limit of the function may hold something
///         self
///     }
/// }
///
/// impl Download {
///     fn send(mut self, mut write: impl FnMut(&[u8])) {
///         for chunk in &self.chunks {
///             write(chunk);
///             self.held.count(chunk.len() as u64);
///         }
///         self.held.complete(); // a drop before this call counts as a cut
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no body that can hold permits and charges until it ends",
    label = "this has no body that ends later",
    note = "return a stream as `impl Stream<Item = ..>` or `Pin<Box<dyn Stream<Item = ..> + Send>>`; if it must have another type, take a permit with `RateLimiter::permit` and move it into the stream",
    note = "`until = \"body_end\"` and `hold` need a response with a body: with axum, return `Response`, `Body`, `Sse<..>`, or a tuple or `Result` of one of them; `.into_response()` makes a `Response` of any other value",
    note = "with poem, return `Response`, `Body`, or a tuple or `Result` of one of them; return an `SSE` as `impl IntoResponse`",
    note = "with salvo, write the body into an argument `res: &mut Response`, and return nothing or a `Result<(), _>`",
    note = "with tonic, return `Response<Self::ListStream>`, and declare `type ListStream = ratelimit::body::Holding<..>`; with another framework on `http`, wrap the body: `HeldBody::new(body)`"
)]
#[cfg_attr(
    not(feature = "_web"),
    diagnostic::on_unimplemented(
        note = "the feature of the framework must be enabled: `ratelimit-runtime = {{ version = \"..\", features = [\"axum\"] }}`"
    )
)]
pub trait HoldBody: Sized {
    /// The type of the response that holds permits and charges. It is `Self` if this type can contain the wrapped body.
    type Output;

    /// Moves permits and charges into the body.
    fn hold(self, held: Held) -> Self::Output;
}

/// An `Err` ends at once, with nothing sent.
impl<T: HoldBody, E> HoldBody for Result<T, E> {
    type Output = Result<T::Output, E>;

    fn hold(self, held: Held) -> Self::Output {
        self.map(|response| response.hold(held))
    }
}

/// A `None` ends at once, with nothing sent.
impl<T: HoldBody> HoldBody for Option<T> {
    type Output = Option<T::Output>;

    fn hold(self, held: Held) -> Self::Output {
        self.map(|response| response.hold(held))
    }
}

/// The last element of a tuple has the body, as in `(StatusCode, HeaderMap, Body)`.
macro_rules! tuples {
    ($(($($part:ident)+))*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($part,)+ Last: HoldBody> HoldBody for ($($part,)+ Last) {
            type Output = ($($part,)+ Last::Output);

            #[expect(non_snake_case, reason = "the variables have the names of their types")]
            fn hold(self, held: Held) -> Self::Output {
                let ($($part,)+ last) = self;
                ($($part,)+ last.hold(held))
            }
        }
    )*};
}

tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) }

/// A response with its permits and charges, for a type `R` whose body cannot be replaced. Such types are axum's `Sse<S>` and
/// rocket's streams.
///
/// With `until = "body_end"`, the attribute changes a return type `Sse<S>` to `Holding<Sse<S>>`. The client receives the same
/// response. A `Holding` can also be a refusal, so the function needs no `Result`.
/// [Waiting and permits](crate::docs::waiting_and_permits) has an example for each framework.
#[must_use = "a response does nothing until the handler returns it"]
pub struct Holding<R> {
    pub(crate) response: Result<R, Rejection>,
    pub(crate) held: Held,
}

impl<R> HoldBody for Holding<R> {
    type Output = Self;

    fn hold(mut self, held: Held) -> Self {
        if self.response.is_ok() {
            self.held.merge(held);
        }
        self
    }
}

#[diagnostic::do_not_recommend]
impl<R> FromRejection for Holding<R> {
    fn from_rejection(rejection: Rejection) -> Self {
        Self { response: Err(rejection), held: Held::default() }
    }
}

opaque!([R] Holding<R>, |this| held = this.held);

/// A response that is a stream. A limited function that returns such a response ends before the stream is sent.
pub trait StreamingResponse {}

/// Implements `HoldBody` for streaming responses whose inner stream cannot be taken out. A `Holding` stores such a response
/// beside its permits and charges, until the framework converts it.
macro_rules! held_beside {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> crate::body::HoldBody for $type {
            type Output = crate::body::Holding<Self>;

            fn hold(self, held: crate::body::Held) -> crate::body::Holding<Self> {
                crate::body::Holding { response: Ok(self), held }
            }
        }

        impl<$($generics)*> crate::body::hold_body::StreamingResponse for $type {}
    )*};
}
pub(crate) use held_beside;

impl<T: StreamingResponse, E> StreamingResponse for Result<T, E> {}
impl<T: StreamingResponse> StreamingResponse for Option<T> {}
impl<A, T: StreamingResponse> StreamingResponse for (A, T) {}
impl<A, B, T: StreamingResponse> StreamingResponse for (A, B, T) {}

/// A declared type of a stream, such as `Self::ListStream` of a service of tonic.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold permits and charges until it ends",
    label = "this stream has no place for them",
    note = "declare it as `type ..Stream = ratelimit::body::Holding<{Self}>`; the function stays as it is"
)]
pub trait HoldStream {
    /// The stream that the body of the function returns.
    type Stream;

    /// Moves permits and charges into the stream.
    fn hold(stream: Self::Stream, held: Held) -> Self;
}
