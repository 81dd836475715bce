//! actix-web: responses whose body holds.

use crate::body::pieces::{Pieces, length};
use crate::body::{Held, HoldBody};
use actix_web::HttpResponse;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::header::CONTENT_LENGTH;
use actix_web::web::Bytes;
use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A `content-length` says when the response is complete, because a client does not read the body past that length.
impl<B: MessageBody + 'static> HoldBody for HttpResponse<B> {
    type Output = HttpResponse;

    fn hold(self, mut held: Held) -> HttpResponse {
        if held.is_empty() {
            return self.map_into_boxed_body();
        }
        let header = self.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        match self.body().size() {
            // The server drops such a body without polling it.
            BodySize::None | BodySize::Sized(0) => held.complete(),
            BodySize::Sized(length) => held.set_length(length),
            BodySize::Stream => header.into_iter().for_each(|length| held.set_length(length)),
        }
        self.map_body(|_, body| {
            BoxBody::new(HoldingBody { body: body.boxed(), pieces: Pieces::default(), held })
        })
    }
}

/// A body that holds. It does not turn into bytes, because middlewares would then send them without it.
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
