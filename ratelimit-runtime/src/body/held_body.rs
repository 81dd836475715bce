//! `HeldBody`: an HTTP body that holds permits and charges until it ends.

use super::pieces::{Pieces, length};
use super::{Held, HoldBody};
use bytes::{Buf, Bytes};
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project! {
    /// An HTTP body that can hold permits and charges until it ends.
    ///
    /// It sends the same bytes, trailers and errors as the wrapped body, and has the same size hint. A chunk of more than 64
    /// KiB is sent in several frames. So the server takes a body from memory piece by piece, and the body ends only when most
    /// of it was sent. This does not copy [`Bytes`]; other data is copied once.
    ///
    /// Use it to limit the streams of a service that has its own body type:
    ///
    /// ```
    /// # use http_body::Body;
    /// use http::{Request, Response};
    /// use ratelimit::body::HeldBody;
    /// use ratelimit::{Rejection, rate_limit};
    ///
    /// # async fn read<B: Body + Default>(_: Request<()>) -> B { B::default() }
    /// #[rate_limit(key = "downloads", count = 5, algorithm = "concurrency", until = "body_end")]
    /// async fn download<B: Body + Default>(request: Request<()>) -> Result<Response<HeldBody<B>>, Rejection> {
    ///     let file: B = read(request).await;
    ///     Ok(Response::new(HeldBody::new(file)))
    /// }
    /// ```
    #[derive(Debug)]
    pub struct HeldBody<B> {
        #[pin]
        body: B,
        pieces: Pieces,
        held: Held,
    }
}

impl<B: Body> HeldBody<B> {
    /// Wraps a body. It holds nothing yet.
    pub fn new(body: B) -> Self {
        Self { body, pieces: Pieces::default(), held: Held::default() }
    }
}

impl<B: Body> HoldBody for HeldBody<B> {
    type Output = Self;

    fn hold(mut self, held: Held) -> Self {
        self.held.merge(held);
        // A server may drop an empty body without polling it, so an empty body is complete now.
        if self.body.is_end_stream() {
            self.held.complete();
        }
        self
    }
}

/// The response is complete when `content-length` bytes were sent, because a server does not read the body past that length.
impl<B: HoldBody> HoldBody for http::Response<B> {
    type Output = http::Response<B::Output>;

    fn hold(self, mut held: Held) -> Self::Output {
        look_at_head(&mut held, self.status().as_u16(), self.headers());
        self.map(|body| body.hold(held))
    }
}

/// Sets the length of the body, if a header contains it. Warns about an upgrade (101), whose body ends at once.
pub(crate) fn look_at_head(held: &mut Held, status: u16, headers: &HeaderMap) {
    held.warn_of_upgrade(status);
    let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if let Some(length) = length {
        held.set_length(length);
    }
}

impl<B: Body> Body for HeldBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let mut this = self.project();
        if let Some(piece) = this.pieces.next() {
            this.held.count_more(length(&piece));
            if this.pieces.left() == 0 && this.body.is_end_stream() {
                this.held.complete();
            }
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        let polled = ready!(this.body.as_mut().poll_frame(context));
        let first = |mut data: B::Data| this.pieces.start(data.copy_to_bytes(data.remaining()));
        let polled = polled.map(|frame| frame.map(|frame| frame.map_data(first)));
        match &polled {
            Some(Ok(frame)) => {
                if let Some(data) = frame.data_ref() {
                    this.held.count(length(data));
                }
                // A server does not poll again after the last frame, so the body is complete now.
                if this.pieces.left() == 0 && this.body.is_end_stream() {
                    this.held.complete();
                }
            }
            Some(Err(_)) => this.held.cut(),
            None => this.held.complete(),
        }
        Poll::Ready(polled)
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.left() == 0 && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, left) = (self.body.size_hint(), self.pieces.left());
        let mut hint = SizeHint::new();
        hint.set_lower(rest.lower().saturating_add(left));
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper.saturating_add(left));
        }
        hint
    }
}

#[cfg(test)]
mod tests;
