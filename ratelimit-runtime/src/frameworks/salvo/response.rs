//! Converts rejections into responses and errors of salvo, lets the layer change responses, and lets bodies hold permits and
//! charges.

use crate::__private::RejectionTarget;
use crate::answer::Answered;
use crate::body::held_body::look_at_head;
use crate::body::{Held, HeldBody, HoldBody};
use crate::frameworks::http::{refusal, status};
use crate::frameworks::map_headers;
use crate::layer::ResponseParts;
use crate::rejection::{FromRejection, Rejection};
use http::StatusCode;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, RETRY_AFTER};
use http_body_util::BodyExt;
use salvo_core::http::{ResBody, StatusError};
use salvo_core::{Response, Scribe};

impl ResponseParts for Response {
    /// salvo sends a status even if no handler has set one.
    fn status(&self) -> u16 {
        let status = self.status_code.unwrap_or(match &self.body {
            ResBody::Error(error) => error.code,
            _ => StatusCode::OK,
        });
        status.as_u16()
    }

    fn set_status(&mut self, status: u16) {
        let Ok(status) = StatusCode::from_u16(status) else { return };
        self.status_code = Some(status);
        if let ResBody::Error(error) = &mut self.body
            && let Some(right) = StatusError::from_code(status)
        {
            // The catcher writes these values into the body.
            (error.code, error.name, error.brief) = (status, right.name, right.brief);
        }
    }

    map_headers!(http);

    fn is_answer(&self) -> bool {
        self.extensions.get::<Answered>().is_some()
    }
}

/// The [`answer`](Rejection::answer) to the rejection: [`Limited`](Rejection::Limited) is 429 with `Retry-After` in whole seconds.
/// [`Unidentified`](Rejection::Unidentified) is 400. [`Unavailable`](Rejection::Unavailable) is 503 with `Retry-After: 1`. A
/// call that never passes gets no `Retry-After`.
///
/// The answer replaces the body that earlier handlers have written. Handlers return `Result<_, Rejection>`. An error type of
/// the application can render the rejection that it contains: `res.render(rejection)`.
impl Scribe for Rejection {
    fn render(self, response: &mut Response) {
        let (parts, body) = refusal(&self).into_parts();
        response.status_code = Some(parts.status);
        // These header fields may describe the body that is replaced.
        for name in [CONTENT_ENCODING, CONTENT_LENGTH, RETRY_AFTER] {
            response.headers.remove(name);
        }
        response.headers.extend(parts.headers);
        response.extensions.extend(parts.extensions);
        // The catcher replaces a body that is `None`.
        response.body = ResBody::Once(body.into());
    }
}

/// A refused handler without a return value answers through its argument `res: &mut Response`.
impl RejectionTarget for Response {
    fn write_rejection(&mut self, rejection: Rejection) {
        rejection.render(self);
    }
}

impl From<Rejection> for Response {
    fn from(rejection: Rejection) -> Self {
        let mut response = Self::new();
        rejection.render(&mut response);
        response
    }
}

impl FromRejection for Response {
    fn from_rejection(rejection: Rejection) -> Self {
        rejection.into()
    }
}

/// The error has the status of the [`answer`](Rejection::answer) and the text of the rejection, from which the catcher makes
/// the body. [`RateLimitLayer`](crate::RateLimitLayer) adds `Retry-After`. The cause is the rejection, so that a catcher of the
/// application can find it: `Rejection::find(&error)`.
impl From<Rejection> for StatusError {
    fn from(rejection: Rejection) -> Self {
        let of_answer = Self::from_code(status(rejection.answer().status));
        let error = of_answer.or_else(|| Self::from_code(status(rejection.status())));
        let error = error.unwrap_or_else(Self::service_unavailable);
        error.brief(rejection.to_string()).cause(rejection)
    }
}

impl HoldBody for ResBody {
    type Output = Self;

    /// A body that is `None` or an error stays unchanged, because salvo later replaces it. Permits and charges end at once.
    fn hold(self, held: Held) -> Self {
        match self {
            body if held.is_empty() => body,
            // Nothing of this body is sent. The drop of `held` reports this.
            Self::Error(_) => self,
            Self::None => {
                let mut held = held;
                held.complete();
                self
            }
            body => Self::Boxed(Box::pin(HeldBody::new(body).hold(held).map_err(Into::into))),
        }
    }
}

impl HoldBody for Response {
    type Output = Self;

    fn hold(mut self, held: Held) -> Self {
        (&mut self).hold(held);
        self
    }
}

/// Holds permits and charges until the body in the response ends.
impl HoldBody for &mut Response {
    type Output = ();

    fn hold(self, mut held: Held) {
        let status = self.status_code.map_or(200, |status| status.as_u16());
        look_at_head(&mut held, status, &self.headers);
        self.body = self.take_body().hold(held);
    }
}
