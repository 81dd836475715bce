//! Converts rejections into responses and errors of actix-web, lets the layer change responses, and lets bodies hold permits
//! and charges.

use crate::answer::Answered;
use crate::body::pieces::{Pieces, length};
use crate::body::{Held, HoldBody};
use crate::frameworks::response_head;
use crate::layer::ResponseParts;
use crate::rejection::{FromRejection, Rejection};
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::error::InternalError;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, Responder, ResponseError};
use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

impl<B> ResponseParts for HttpResponse<B> {
    response_head!(actix_web::http, |response, code| *response.status_mut() = code);

    fn is_answer(&self) -> bool {
        self.extensions().get::<Answered>().is_some()
    }
}

/// [`Limited`](Rejection::Limited) is 429 with `Retry-After` in whole seconds. [`Unidentified`](Rejection::Unidentified) is
/// 400. [`Unavailable`](Rejection::Unavailable) is 503 with `Retry-After: 1`. A call that never passes gets no
/// `Retry-After`.
///
/// So limited handlers can return `Result<_, Rejection>` and `Result<_, actix_web::Error>`.
impl ResponseError for Rejection {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.status()).unwrap_or(StatusCode::SERVICE_UNAVAILABLE)
    }

    fn error_response(&self) -> HttpResponse {
        let answer = self.answer();
        let status = StatusCode::from_u16(answer.status).unwrap_or_else(|_| self.status_code());
        let mut response = HttpResponse::with_body(status, BoxBody::new(answer.body));
        if let Ok(content_type) = HeaderValue::from_str(&answer.content_type) {
            response.headers_mut().insert(CONTENT_TYPE, content_type);
        }
        if let Some(seconds) = answer.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(Answered);
        response
    }
}

/// The response contains the rejection as its `error()`.
impl From<Rejection> for HttpResponse {
    fn from(rejection: Rejection) -> Self {
        Self::from_error(rejection)
    }
}

impl FromRejection for HttpResponse {
    fn from_rejection(rejection: Rejection) -> Self {
        rejection.into()
    }
}

impl Responder for Rejection {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        self.into()
    }
}

/// The response is made from the rejection. The cause is the handler's own error, which contains the rejection.
impl<T: From<Rejection>> From<Rejection> for InternalError<T> {
    fn from(rejection: Rejection) -> Self {
        let response = rejection.error_response();
        Self::from_response(T::from(rejection), response)
    }
}

/// The response is complete when `content-length` bytes were sent, because a client does not read the body past that length.
impl<B: MessageBody + 'static> HoldBody for HttpResponse<B> {
    type Output = HttpResponse;

    fn hold(self, mut held: Held) -> HttpResponse {
        if held.is_empty() {
            return self.map_into_boxed_body();
        }
        let header = self.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        match self.body().size() {
            // The server drops an empty body without polling it, so the body ends here.
            BodySize::None | BodySize::Sized(0) => held.complete(),
            BodySize::Sized(length) => held.set_length(length),
            BodySize::Stream => header.into_iter().for_each(|length| held.set_length(length)),
        }
        self.map_body(|_, body| {
            BoxBody::new(HoldingBody { body: body.boxed(), pieces: Pieces::default(), held })
        })
    }
}

/// A body that holds permits and charges. It does not implement `try_into_bytes`: a middleware could then take the bytes, and
/// drop this body before the bytes are sent.
struct HoldingBody {
    body: BoxBody,
    pieces: Pieces,
    held: Held,
}

impl MessageBody for HoldingBody {
    type Error = Box<dyn Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Box<dyn Error>>>> {
        let Self { body, pieces, held } = self.get_mut();
        if let Some(piece) = pieces.next() {
            held.count_more(length(&piece));
            return Poll::Ready(Some(Ok(piece)));
        }
        let polled = ready!(Pin::new(body).poll_next(context));
        let polled = polled.map(|chunk| chunk.map(|chunk| pieces.start(chunk)));
        match &polled {
            Some(Ok(bytes)) => held.count(length(bytes)),
            Some(Err(_)) => held.cut(),
            None => held.complete(),
        }
        Poll::Ready(polled)
    }
}
