//! `BodySent`: how much of a response was sent.

/// How much of a response was sent when its body ended.
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
    /// The number of bytes of the body that the server has taken to send them, without headers and trailers. It counts the
    /// handler's own body, before a middleware compresses it. If the client goes away, up to a buffer of the server and of
    /// the operating system may not have arrived.
    ///
    /// For a gRPC stream it is zero, because its messages are encoded later: use [`messages`](Self::messages).
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of messages of a gRPC stream, of events of an SSE stream (with keep-alive comments), or of chunks of any
    /// other body. At most [`u32::MAX`], so that it can be a cost.
    pub const fn messages(&self) -> u32 {
        self.messages
    }

    /// The number of blocks of this many bytes, the last one of which may be incomplete. At most [`u32::MAX`]. A `size` of
    /// zero counts as 1.
    ///
    /// ```
    /// # use ratelimit::body::BodySent;
    /// let kibibytes = |sent: BodySent| sent.blocks(1024); // 0 bytes: 0, 1 byte: 1, 1024 bytes: 1, 1025 bytes: 2
    /// # let _ = kibibytes;
    /// ```
    pub fn blocks(&self, size: u64) -> u32 {
        u32::try_from(self.bytes.div_ceil(size.max(1))).unwrap_or(u32::MAX)
    }

    /// Whether the body was sent to its end. It is `false` if the body has failed, if the client went away before, if the
    /// handler returned an error, and if the server did not send the body at all, as for a `HEAD` request.
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
