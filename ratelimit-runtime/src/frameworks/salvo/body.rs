//! salvo: its bodies, and its response, which handlers write into.

use crate::body::held_body::set_length;
use crate::body::{Held, HeldBody, HoldBody};
use http_body::{Body, Frame, SizeHint};
use salvo_core::http::ResBody;
use salvo_core::{BoxedError, Response};
use std::pin::Pin;
use std::task::{Context, Poll};

impl HoldBody for ResBody {
    type Output = Self;

    /// A body that is `None` or an error stays, because salvo writes another one for it later. Such a body ends at once.
    fn hold(self, held: Held) -> Self {
        match self {
            body if held.is_empty() => body,
            // Nothing of this body is sent, which dropping `held` reports.
            Self::Error(_) => self,
            Self::None => {
                let mut held = held;
                held.complete();
                self
            }
            body => Self::Boxed(Box::pin(Boxable(HeldBody::new(body).hold(held)))),
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

/// Holds until the body ends that was written into the response.
impl HoldBody for &mut Response {
    type Output = ();

    fn hold(self, mut held: Held) {
        held.warn_of_upgrade(self.status_code.map_or(200, |status| status.as_u16()));
        set_length(&mut held, &self.headers);
        self.body = self.take_body().hold(held);
    }
}

/// A body with the error type of `ResBody::Boxed`.
struct Boxable(HeldBody<ResBody>);

impl Body for Boxable {
    type Data = bytes::Bytes;
    type Error = BoxedError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<bytes::Bytes>, BoxedError>>> {
        Pin::new(&mut self.0).poll_frame(context).map_err(Into::into)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}
