//! Creates gRPC statuses of rejections and the responses that carry them, and lets streams of messages hold permits and
//! charges.

use crate::answer::Answered;
use crate::body::hold_body::{HoldStream, StreamingResponse};
use crate::body::{Held, HoldBody, Holding};
use crate::layer::Swallowed;
use crate::rejection::Rejection;
use futures_core::Stream;
use http::header::CONTENT_TYPE;
use http::{Extensions, HeaderValue, Response};
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tonic::metadata::{MetadataMap, MetadataValue};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

/// The metadata that tells gRPC clients when to try again: a number of milliseconds, or a negative number for never.
const PUSHBACK: &str = "grpc-retry-pushback-ms";

/// [`Limited`](Rejection::Limited) is `RESOURCE_EXHAUSTED`, [`Unavailable`](Rejection::Unavailable) is `UNAVAILABLE`.
/// [`Unidentified`](Rejection::Unidentified) is `UNAUTHENTICATED`, the code of callers who cannot be identified.
///
/// The time of the next attempt is in the details, as `google.rpc.RetryInfo`, and in the metadata `grpc-retry-pushback-ms`.
/// gRPC clients with a retry policy obey this metadata. A call that never passes has no `RetryInfo`, and its pushback -1
/// forbids retries. A call that got no permit has neither `RetryInfo` nor a pushback, because nobody knows when a permit will
/// be returned.
///
/// The message is the text of the [`Rejection`]; [`Answers`](crate::answer::Answers) do not change it. The rejection is the
/// status's [`source`](std::error::Error::source), which is not sent.
impl From<Rejection> for Status {
    fn from(rejection: Rejection) -> Self {
        let mut status = status(&rejection, code(&rejection), rejection.to_string(), MetadataMap::new());
        status.set_source(Arc::new(rejection));
        status
    }
}

fn code(rejection: &Rejection) -> Code {
    match rejection {
        Rejection::Limited(_) if rejection.is_of_service() => Code::Unavailable,
        Rejection::Limited(_) => Code::ResourceExhausted,
        Rejection::Unidentified(_) => Code::Unauthenticated,
        Rejection::Unavailable(_) => Code::Unavailable,
    }
}

/// Creates a status that says when to try again.
fn status(rejection: &Rejection, code: Code, message: impl Into<String>, metadata: MetadataMap) -> Status {
    let mut metadata = metadata;
    push_back(rejection, &mut metadata);
    match rejection.retry_after() {
        Some(wait) => {
            let details = ErrorDetails::with_retry_info(Some(wait));
            Status::with_error_details_and_metadata(code, message, details, metadata)
        }
        None => Status::with_metadata(code, message, metadata),
    }
}

/// Writes the wait in milliseconds. The protocol limits it to a signed 32-bit integer, which is 24 days.
fn push_back(rejection: &Rejection, metadata: &mut MetadataMap) {
    if rejection.decision().is_some_and(|decision| decision.waits_for_a_return()) {
        return;
    }
    let wait = rejection.retry_after();
    let ms = wait.map_or(-1, |wait| i32::try_from(wait.as_millis()).unwrap_or(i32::MAX));
    metadata.insert(PUSHBACK, MetadataValue::from(ms));
}

/// Creates the response to a refused gRPC request. The gRPC status is in the headers, because the response has no body.
/// `content_type` is the content type of the request.
pub(in crate::frameworks) fn refusal(rejection: &Rejection, content_type: &HeaderValue) -> Response<Vec<u8>> {
    let mut response = Status::from(rejection.clone()).into_http();
    // A gRPC-Web client ignores a response with the content type of plain gRPC.
    let web = [
        ("application/grpc-web-text", "application/grpc-web-text+proto"),
        ("application/grpc-web", "application/grpc-web+proto"),
    ];
    if let Some((_, answer)) =
        web.iter().find(|(name, _)| content_type.as_bytes().starts_with(name.as_bytes()))
    {
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(answer));
    }
    response.extensions_mut().insert(Answered);
    response
}

/// Whether this library has made the response from a `Rejection`.
pub(in crate::frameworks) fn is_answer(extensions: &Extensions) -> bool {
    let status = extensions.get::<Status>();
    status.and_then(Error::source).is_some_and(<dyn Error>::is::<Rejection>)
}

/// Corrects a response whose status hides a refusal, see `ResponseParts::mend_grpc`. The metadata is always corrected. The code
/// is corrected if `corrects` is true, or if it is `None` and the code reports an internal or unknown error.
///
/// If the status is a success or has a pushback, it stays unchanged, because the handler has dealt with the refusal.
pub(in crate::frameworks) fn mend<B>(
    response: &mut Response<B>,
    rejection: &Rejection,
    corrects: Option<bool>,
) -> Option<Swallowed> {
    // tonic puts the status of a response without a body into the extensions.
    let sent = response.extensions().get::<Status>()?;
    if sent.code() == Code::Ok || sent.metadata().contains_key(PUSHBACK) {
        return None;
    }
    let (had, right) = (sent.code(), code(rejection));
    let is_corrected = corrects.unwrap_or(matches!(had, Code::Internal | Code::Unknown));
    let corrected = if is_corrected { right } else { had };
    let mut metadata = sent.metadata().clone();
    let mut mended = if sent.details().is_empty() || corrected != had {
        status(rejection, corrected, sent.message(), metadata)
    } else {
        push_back(rejection, &mut metadata);
        Status::with_details_and_metadata(had, sent.message(), sent.details().to_vec().into(), metadata)
    };
    mended.set_source(Arc::new(rejection.clone()));
    mended.add_header(response.headers_mut()).ok()?;
    response.extensions_mut().insert(mended);
    (had != right).then_some(Swallowed { status: had as u16, right: right as u16, is_corrected })
}

type Messages<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The stream of a refused call has no messages.
impl<S: Stream<Item = Result<T, Status>> + Unpin, T> Stream for Holding<S> {
    type Item = Result<T, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Ok(stream) = &mut self.response else { return Poll::Ready(None) };
        let polled = ready!(Pin::new(stream).poll_next(context));
        match &polled {
            Some(Ok(_)) => self.held.count(0),
            Some(Err(_)) => self.held.cut(),
            None => self.held.complete(),
        }
        Poll::Ready(polled)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.response.as_ref().map_or((0, Some(0)), Stream::size_hint)
    }
}

impl<S> HoldStream for Holding<S> {
    type Stream = S;

    fn hold(stream: S, held: Held) -> Self {
        Self { response: Ok(stream), held }
    }
}

/// The new stream is boxed like the old one, so the type of the response stays the same.
impl<T: 'static> HoldStream for Messages<T> {
    type Stream = Self;

    fn hold(stream: Self, held: Held) -> Self {
        Box::pin(Holding { response: Ok(stream), held })
    }
}

impl<T: 'static> HoldBody for tonic::Response<Messages<T>> {
    type Output = Self;

    fn hold(self, held: Held) -> Self {
        self.map(|stream| HoldStream::hold(stream, held))
    }
}

/// The response has a stream, whose messages are sent after the function has returned.
impl<S: Stream> StreamingResponse for tonic::Response<S> {}
