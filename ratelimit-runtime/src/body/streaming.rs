//! `StreamingResponse`: responses whose streams outlive the function that returns them.

/// Responses that are streams. A limited function that returns one ends before the stream is sent.
pub trait StreamingResponse {}

impl<T: StreamingResponse, E> StreamingResponse for Result<T, E> {}
impl<T: StreamingResponse> StreamingResponse for Option<T> {}
impl<A, T: StreamingResponse> StreamingResponse for (A, T) {}
impl<A, B, T: StreamingResponse> StreamingResponse for (A, B, T) {}
