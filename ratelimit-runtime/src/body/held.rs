//! `Held`: the permits and charges of a call that end with the body of its response.

use crate::macros::opaque;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The permits and charges of a call, which last until the body of its response ends.
///
/// An implementation of [`HoldBody`](crate::body::HoldBody) stores a `Held` beside the body and reports what is sent. A `Held`
/// ends at the first of these events: [`complete`](Self::complete), [`cut`](Self::cut), or a drop, which counts as a cut. At
/// that moment, all permits are returned, and each charge is settled to its real cost. The changes are sent to the store in the
/// background, on the tokio runtime in which the `Held` ends. [`RateLimiter::close`](crate::RateLimiter::close) waits for them.
#[must_use = "dropping this returns the permits and settles the charges"]
#[derive(Default)]
pub struct Held {
    /// The functions that end the permits and charges, one for each call of a limiter. The mutex is never locked; it only makes
    /// the body `Sync`.
    ends: Vec<Mutex<End>>,
    sent: BodySent,
    /// The length of the body in bytes, if a header says it.
    length: Option<u64>,
}

type End = Box<dyn FnOnce(BodySent) + Send>;

/// Computes the cost of a call.
pub(crate) type Settle = Box<dyn FnOnce(BodySent) -> u32 + Send>;

impl Held {
    /// Calls `end` when the body ends.
    pub(crate) fn new(end: impl FnOnce(BodySent) + Send + 'static) -> Self {
        Self { ends: vec![Mutex::new(Box::new(end))], ..Self::default() }
    }

    /// Whether nothing is held, for example because the call was exempt or because the body has ended.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds the permits and charges of `other`, which belong to the same response.
    pub fn merge(&mut self, mut other: Self) {
        self.ends.append(&mut other.ends);
        self.length = self.length.or(other.length);
    }

    /// Sets the length of the body in bytes, as in the `content-length` header. A server does not read a body past this length,
    /// so the response is complete when this many bytes were sent.
    pub fn set_length(&mut self, bytes: u64) {
        self.length = Some(bytes);
    }

    /// Warns if a response with this status upgrades its connection, for example to a WebSocket, because its body then ends at
    /// once. The process logs this warning only once.
    pub(crate) fn warn_of_upgrade(&self, status: u16) {
        static WARNED: AtomicBool = AtomicBool::new(false);
        if status == 101 && !self.is_empty() && !WARNED.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "a permit or a charge that lasts until the body of a response ends was put into an upgrade (101), whose body ends at \
                 once; take a permit with `RateLimiter::permit` and move it into the task of the connection"
            );
        }
    }

    /// Counts a message of this many bytes.
    pub fn count(&mut self, bytes: u64) {
        self.sent.bytes = self.sent.bytes.saturating_add(bytes);
        self.sent.messages = self.sent.messages.saturating_add(1);
    }

    /// Counts more bytes of the message that was counted last.
    pub(crate) fn count_more(&mut self, bytes: u64) {
        self.sent.bytes = self.sent.bytes.saturating_add(bytes);
    }

    /// Ends the permits and charges, because the body was sent to its end.
    pub fn complete(&mut self) {
        self.end(true);
    }

    /// Ends the permits and charges, because the body has failed or the client went away.
    pub fn cut(&mut self) {
        self.end(false);
    }

    fn end(&mut self, complete: bool) {
        let sent = BodySent { complete, ..self.sent };
        for end in self.ends.drain(..) {
            end.into_inner()(sent);
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let complete = self.length.is_some_and(|length| self.sent.bytes >= length);
        self.end(complete);
    }
}

opaque!(Held, |this| sent = this.sent);

/// The amount of a response that was sent when its body ended.
///
/// `settle` with `until = "body_end"`, and [`Charge::settle_on_end`](crate::Charge::settle_on_end), compute the cost of a call
/// from it:
///
/// ```
/// use ratelimit::body::BodySent;
///
/// let per_mebibyte = |sent: BodySent| sent.blocks(1024 * 1024);
/// let per_file = |sent: BodySent| u32::from(sent.is_complete());
/// # let _ = (per_mebibyte, per_file);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodySent {
    pub(super) bytes: u64,
    pub(super) messages: u32,
    pub(super) complete: bool,
}

impl BodySent {
    /// The number of bytes of the body that the server has taken to send, without headers and trailers. The bytes of the
    /// handler's own body are counted, before a middleware compresses it. If the client goes away, the last of these bytes may
    /// not have arrived: at most what fits into the buffers of the server and of the operating system.
    ///
    /// For a gRPC stream it is zero, because its messages are encoded later: use [`messages`](Self::messages).
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of messages of a gRPC stream, of events of an SSE stream (including keep-alive comments), of items of any other
    /// stream, or of chunks of any other body. At most [`u32::MAX`], so that it can be a cost.
    pub const fn messages(&self) -> u32 {
        self.messages
    }

    /// The number of blocks of `size` bytes. An incomplete last block counts as a block. At most [`u32::MAX`]. A `size` of zero
    /// counts as 1.
    ///
    /// ```
    /// # use ratelimit::body::BodySent;
    /// let kibibytes = |sent: BodySent| sent.blocks(1024); // 0 bytes: 0, 1 byte: 1, 1024 bytes: 1, 1025 bytes: 2
    /// # let _ = kibibytes;
    /// ```
    pub fn blocks(&self, size: u64) -> u32 {
        u32::try_from(self.bytes.div_ceil(size.max(1))).unwrap_or(u32::MAX)
    }

    /// Whether the body was sent to its end. It is `false` if the body has failed, if the client went away before the end, if
    /// the handler returned an error, or if the server did not send the body at all, as for a `HEAD` request.
    pub const fn is_complete(&self) -> bool {
        self.complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_rounded_up() {
        let blocks = |bytes, size| BodySent { bytes, ..BodySent::default() }.blocks(size);
        assert_eq!([blocks(0, 10), blocks(1, 10), blocks(10, 10), blocks(11, 10)], [0, 1, 1, 2]);
        assert_eq!((blocks(3, 0), blocks(u64::MAX, 1)), (3, u32::MAX));
    }
}
