//! Streams that outlive the function that returns them.

use super::Held;

/// Responses that are streams. A limited function that returns one ends before the stream is sent.
pub trait StreamingResponse {}

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
