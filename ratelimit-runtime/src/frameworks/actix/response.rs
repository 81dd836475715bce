//! Rejections as responses and errors of actix-web, and what the layer changes in a response.

use crate::answer::Answered;
use crate::frameworks::response_head;
use crate::layer::ResponseParts;
use crate::rejection::{FromRejection, Rejection};
use actix_web::body::BoxBody;
use actix_web::error::InternalError;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use actix_web::{HttpRequest, HttpResponse, Responder, ResponseError};

impl<B> ResponseParts for HttpResponse<B> {
    response_head!(actix_web::http, |response, code| *response.status_mut() = code);

    fn is_answer(&self) -> bool {
        self.extensions().get::<Answered>().is_some()
    }

    fn is_grpc(&self) -> bool {
        let content_type = self.headers().get(CONTENT_TYPE);
        content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"))
    }
}

/// [`Limited`](Rejection::Limited) is 429 with `Retry-After` in whole seconds. [`Unidentified`](Rejection::Unidentified) is
/// 400. [`Unavailable`](Rejection::Unavailable) is 503 with `Retry-After: 1`. A call that never passes gets no
/// `Retry-After`.
///
/// So `Result<_, Rejection>` and `Result<_, actix_web::Error>` are responses of limited handlers.
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

/// The response is made from the rejection. The cause is the error of the handler.
impl<T: From<Rejection>> From<Rejection> for InternalError<T> {
    fn from(rejection: Rejection) -> Self {
        let response = rejection.error_response();
        Self::from_response(T::from(rejection), response)
    }
}
