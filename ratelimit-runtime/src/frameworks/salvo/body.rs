//! salvo: its bodies, and its response, which handlers write into.

use crate::body::held_body::set_length;
use crate::body::{Held, HeldBody, HoldBody};
use http_body_util::BodyExt;
use salvo_core::Response;
use salvo_core::http::ResBody;

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

/// Holds until the body ends that was written into the response.
impl HoldBody for &mut Response {
    type Output = ();

    fn hold(self, mut held: Held) {
        held.warn_of_upgrade(self.status_code.map_or(200, |status| status.as_u16()));
        set_length(&mut held, &self.headers);
        self.body = self.take_body().hold(held);
    }
}
