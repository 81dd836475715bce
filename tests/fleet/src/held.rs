//! A process's end of a connection. While the machine of the processes stands still, nobody reads what has arrived.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// The time until which nothing is read. `None` if the machine has never stood still.
pub(crate) type Hold = Arc<Mutex<Option<Instant>>>;

pub(crate) struct Held {
    stream: DuplexStream,
    hold: Hold,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Held {
    pub(crate) fn new(stream: DuplexStream, hold: &Hold) -> Self {
        Self { stream, hold: Arc::clone(hold), sleep: None }
    }
}

impl AsyncRead for Held {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let until = *self.hold.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(until) = until.filter(|until| Instant::now() < *until) {
            let sleep = self.sleep.insert(Box::pin(sleep_until(until)));
            ready!(sleep.as_mut().poll(context));
        }
        self.sleep = None;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Held {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
