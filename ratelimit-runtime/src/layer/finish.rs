//! Completes a response: writes the header fields, and corrects a response that hides a refusal.

use super::{Entered, Settings};
use crate::answer::{Answer, RateLimitHeaders};
use crate::observe::registry;
use crate::rejection::Rejection;
use std::sync::atomic::{AtomicBool, Ordering};

/// The parts of a response that a layer changes, in any framework. Each framework implements this trait for its response type.
pub(crate) trait ResponseParts {
    /// The status code.
    fn status(&self) -> u16;

    /// Sets the status code.
    fn set_status(&mut self, status: u16);

    /// Whether the response has this header.
    fn has(&self, name: &'static str) -> bool;

    /// Appends a header line. Its value must be printable ASCII.
    fn append(&mut self, name: &'static str, value: &[u8]);

    /// Whether this library has made the response from a `Rejection`.
    fn is_answer(&self) -> bool;

    /// Whether this is a gRPC response, whose errors are in its trailers.
    fn is_grpc(&self) -> bool {
        false
    }

    /// Corrects a gRPC response that hides a refusal. `corrects` says whether to correct the status; with `None`, only the
    /// status of an internal error is corrected. Returns the original and the right status, or `None` if the status was right
    /// or is a success.
    fn mend_grpc(&mut self, _rejection: &Rejection, _corrects: Option<bool>) -> Option<Swallowed> {
        None
    }
}

/// An error status that hides a refusal.
pub(crate) struct Swallowed {
    pub(crate) status: u16,
    pub(crate) right: u16,
    /// Whether the layer has set the right status.
    pub(crate) is_corrected: bool,
}

impl Settings {
    /// Completes a response. Only the outermost layer does this.
    pub(crate) fn finish(&self, entered: &Entered, response: &mut dyn ResponseParts) {
        if !entered.is_outermost {
            return;
        }
        let rejection = entered.context.rejection().filter(|_| !response.is_answer());
        let is_grpc = response.is_grpc();
        if let Some(rejection) = rejection {
            let swallowed = if is_grpc {
                response.mend_grpc(&rejection, self.corrects_status)
            } else {
                self.mend(&rejection, &rejection.answer_in(Some(&entered.context)), response)
            };
            if let Some(swallowed) = swallowed {
                warn_swallowed(rejection.name(), &swallowed);
            }
        }
        if is_grpc {
            // In gRPC, header fields are metadata. Metadata belongs to the application, so the layer writes no header fields.
            return;
        }
        let status = response.status();
        let mut add = |name, value: &[u8]| response.append(name, value);
        let headers = self.headers.unwrap_or(RateLimitHeaders::Draft11);
        entered.context.with_decisions(|decisions| headers.write(status, decisions, &mut add));
    }

    /// Corrects the response to a refused call if its status hides the refusal. A success stays, because its handler has dealt
    /// with the refusal. The body stays too, because it has the form of the application's errors.
    fn mend(
        &self,
        rejection: &Rejection,
        answer: &Answer,
        response: &mut dyn ResponseParts,
    ) -> Option<Swallowed> {
        let status = response.status();
        if status < 400 {
            return None;
        }
        if let Some(seconds) = answer.retry_after
            && !response.has("retry-after")
        {
            response.append("retry-after", seconds.to_string().as_bytes());
        }
        if status == rejection.status() || status == answer.status {
            return None;
        }
        // The right status is the status of the answer. If that status is a success, the right status is the status of the
        // rejection.
        let right = if answer.status < 400 { rejection.status() } else { answer.status };
        let is_corrected = self.corrects_status.unwrap_or(status == 500);
        if is_corrected {
            response.set_status(right);
        }
        Some(Swallowed { status, right, is_corrected })
    }
}

/// Warns that an error type hides the refusals of a limit, once for each limit.
fn warn_swallowed(name: &str, swallowed: &Swallowed) {
    if registry::named(name).first_swallowed() {
        let Swallowed { status, right, is_corrected } = *swallowed;
        let remedy = if is_corrected {
            "; the layer corrects it"
        } else {
            ", or turn on `RateLimitLayer::correct_status`"
        };
        tracing::warn!(
            limit = name,
            status,
            corrected = is_corrected,
            "a refused call was answered with status {status} instead of {right}, because the function's error type converts a \
             `Rejection` like any other error; find it with `Rejection::find` where the error becomes a response, or write \
             `on_limit`{remedy}"
        );
    }
}

/// Warns that requests have no peer, without which limits by address cannot work. The process logs this warning only once.
pub(super) fn warn_no_peer() {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if !WARNED.swap(true, Ordering::Relaxed) {
        tracing::warn!(
            "requests have no peer address, so limits by address will reject them; with axum, serve with \
             `into_make_service_with_connect_info::<SocketAddr>()`; elsewhere, put a `PeerAddr` into the extensions of the request"
        );
    }
}
