//! Completes a response: header fields, and the correction of answers that have swallowed a refusal.

use super::{Entered, Settings};
use crate::rejection::Rejection;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

/// What a layer changes in a response of any framework. Each framework implements it for its response type.
pub(crate) trait ResponseParts {
    /// The status code.
    fn status(&self) -> u16;

    /// Sets the status code.
    fn set_status(&mut self, status: u16);

    /// Whether the response has this header.
    fn has(&self, name: &'static str) -> bool;

    /// Adds a further line of a header, whose value is printable ASCII.
    fn append(&mut self, name: &'static str, value: &[u8]);

    /// Whether a `Rejection` was turned into this response by this library.
    fn is_answer(&self) -> bool;

    /// Whether it is a response of gRPC, whose errors are in its trailers.
    fn is_grpc(&self) -> bool;

    /// Corrects a response of gRPC that has swallowed a refusal. Returns the status that it had, and the right one. `None` if
    /// there is nothing to correct.
    fn mend_grpc(&mut self, _rejection: &Rejection, _corrects: bool) -> Option<(u16, u16)> {
        None
    }
}

impl Settings {
    /// Completes a response. Only the outermost layer does it.
    pub(crate) fn finish(&self, entered: &Entered, response: &mut dyn ResponseParts) {
        if !entered.is_outermost {
            return;
        }
        let rejection = entered.context.rejection().filter(|_| !response.is_answer());
        if response.is_grpc() {
            // Its header fields would be metadata, which the application did not write.
            if let Some(rejection) = rejection {
                self.mend_grpc(&rejection, response);
            }
            return;
        }
        if let Some(rejection) = rejection {
            self.mend(&rejection, response);
        }
        let status = response.status();
        let mut add = |name, value: &[u8]| response.append(name, value);
        entered.context.with_decisions(|decisions| self.headers.write(status, decisions, &mut add));
    }

    /// Corrects the response to a refused call that does not say so. A success is left alone: its handler has dealt with the
    /// refusal.
    fn mend(&self, rejection: &Rejection, response: &mut dyn ResponseParts) {
        let (status, right, answer) = (response.status(), rejection.status(), rejection.answer());
        if status < 400 {
            return;
        }
        if status != right && status != answer.status {
            warn_swallowed(rejection.name(), status, right, self.corrects_status);
            if self.corrects_status {
                response.set_status(right);
            }
        }
        if let Some(seconds) = answer.retry_after
            && !response.has("retry-after")
        {
            response.append("retry-after", seconds.to_string().as_bytes());
        }
    }

    fn mend_grpc(&self, rejection: &Rejection, response: &mut dyn ResponseParts) {
        if let Some((status, right)) = response.mend_grpc(rejection, self.corrects_status)
            && status != right
        {
            warn_swallowed(rejection.name(), status, right, self.corrects_status);
        }
    }
}

/// The most limits whose warnings are remembered. It bounds the memory of a program that generates names.
const MOST_NAMES: usize = 1000;

/// Warns once for each limit that an error type has swallowed its refusal.
fn warn_swallowed(name: &str, status: u16, right: u16, corrected: bool) {
    static WARNED: LazyLock<Mutex<HashSet<Box<str>>>> = LazyLock::new(Mutex::default);
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    if warned.len() < MOST_NAMES && warned.insert(name.into()) {
        tracing::warn!(
            limit = name,
            status,
            corrected,
            "a refused call was answered with status {status} instead of {right}, because the function's error type converts a \
             `Rejection` like any other error; find it with `Rejection::find` where the error becomes a response, write `on_limit`, or \
             turn on `RateLimitLayer::correct_status`"
        );
    }
}

/// Warns once that requests have no peer, so that limits by address cannot work.
pub(super) fn warn_no_peer() {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if !WARNED.swap(true, Ordering::Relaxed) {
        tracing::warn!(
            "requests have no peer address, so limits by address will reject them; with axum, serve with \
             `into_make_service_with_connect_info::<SocketAddr>()`; elsewhere, put a `PeerAddr` into the extensions of the request"
        );
    }
}
