//! Lets rocket's streams and files hold permits and charges, although their types cannot contain another body.

use crate::body::hold_body::held_beside;
use crate::body::{Held, Holding};
use rocket::Request;
use rocket::fs::NamedFile;
use rocket::futures::Stream;
use rocket::response::stream::{ByteStream, EventStream, ReaderStream, TextStream};
use rocket::response::{self, Body, Responder, Response};
use rocket::tokio::io::{AsyncRead, AsyncSeek, ReadBuf};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

held_beside! {
    [S] ByteStream<S>;
    [S] EventStream<S>;
    [S: Stream] ReaderStream<S>;
    [S] TextStream<S>;
    [] NamedFile;
}

/// rocket notices that a client is gone when it sends the next chunk. For an [`EventStream`], that is the next event or
/// heartbeat.
impl<'r, 'o: 'r, R: Responder<'r, 'o>> Responder<'r, 'o> for Holding<R> {
    fn respond_to(self, request: &'r Request<'_>) -> response::Result<'o> {
        match self.response {
            Ok(response) => Ok(hold(response.respond_to(request)?, self.held)),
            Err(rejection) => rejection.respond_to(request),
        }
    }
}

fn hold(mut response: Response<'_>, mut held: Held) -> Response<'_> {
    if held.is_empty() {
        return response;
    }
    held.warn_of_upgrade(response.status().code);
    let body = response.body_mut().take();
    if body.is_none() {
        held.complete();
        return response;
    }
    let (size, chunk) = (body.preset_size(), body.max_chunk_size());
    match size {
        Some(size) => {
            held.set_length(size as u64);
            response.set_sized_body(size, HeldReader { body, held });
        }
        None => response.set_streamed_body(HeldReader { body, held }),
    }
    response.set_max_chunk_size(chunk);
    response
}

/// A body that holds permits and charges until it was read to its end.
struct HeldReader<'o> {
    body: Body<'o>,
    held: Held,
}

impl AsyncRead for HeldReader<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, asked) = (buffer.filled().len(), buffer.remaining());
        let read = ready!(Pin::new(&mut self.body).poll_read(context, buffer));
        match (&read, buffer.filled().len() - before) {
            (Err(_), _) => self.held.cut(),
            (Ok(()), 0) if asked > 0 => self.held.complete(),
            (Ok(()), bytes) => self.held.count(bytes as u64),
        }
        Poll::Ready(read)
    }
}

/// rocket seeks in a body only to find out an unknown size. It never seeks here, because this body has a known size or is a
/// stream.
impl AsyncSeek for HeldReader<'_> {
    fn start_seek(self: Pin<&mut Self>, _: io::SeekFrom) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn poll_complete(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<u64>> {
        Poll::Ready(Ok(0))
    }
}
