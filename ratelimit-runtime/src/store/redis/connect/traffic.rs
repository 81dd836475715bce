//! `Traffic`: what the socket of a connection tells: when its server was last heard, and whether a request has certainly not left.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;

/// The traffic of one connection. Its times are microseconds since it was opened.
pub(crate) struct Traffic {
    opened: Instant,
    heard: AtomicU64,
    written: AtomicU64,
}

/// An idle connection is trusted for this time, although a firewall may have forgotten it. The request for overrides is sent
/// every 500 ms, so in the runtime of that task a healthy connection is never idle for longer.
const TRUSTED: Duration = Duration::from_millis(600);

/// After this time without a reply, a write first looks whether the server has closed the connection in the meantime. A stalled
/// runtime has not noticed that yet. The look is a system call, so a busy connection does without.
const LOOK_AFTER: Duration = Duration::from_millis(1);

impl Traffic {
    pub(super) fn begin() -> Arc<Self> {
        Arc::new(Self { opened: Instant::now(), heard: AtomicU64::new(0), written: AtomicU64::new(0) })
    }

    /// Notes that the server has sent something.
    pub(super) fn note_heard(&self) {
        self.heard.store(self.since_opened(Instant::now()), Ordering::Relaxed);
    }

    /// Returns whether the server was heard after this moment.
    pub(crate) fn was_heard_after(&self, moment: Instant) -> bool {
        self.heard.load(Ordering::Relaxed) > self.since_opened(moment)
    }

    pub(crate) fn is_trusted(&self) -> bool {
        self.is_quiet_for() < TRUSTED
    }

    /// The number of bytes that the socket has accepted.
    pub(super) fn written(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }

    fn is_quiet_for(&self) -> Duration {
        let heard = Duration::from_micros(self.heard.load(Ordering::Relaxed));
        self.opened.elapsed().saturating_sub(heard)
    }

    fn since_opened(&self, moment: Instant) -> u64 {
        u64::try_from(moment.saturating_duration_since(self.opened).as_micros()).unwrap_or(u64::MAX)
    }
}

/// A stream below TLS and the protocol of Redis.
pub(super) trait Socket: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Returns whether the other side has closed the stream, without waiting and without the runtime.
    fn has_ended(&self) -> bool;
}

impl Socket for TcpStream {
    fn has_ended(&self) -> bool {
        has_ended(&socket2::SockRef::from(self))
    }
}

#[cfg(unix)]
impl Socket for tokio::net::UnixStream {
    fn has_ended(&self) -> bool {
        has_ended(&socket2::SockRef::from(self))
    }
}

impl Socket for super::network::Stream {
    fn has_ended(&self) -> bool {
        false
    }
}

fn has_ended(socket: &socket2::SockRef<'_>) -> bool {
    match socket.peek(&mut [MaybeUninit::uninit()]) {
        Ok(bytes) => bytes == 0,
        Err(error) => !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted),
    }
}

/// A stream whose traffic is noted.
pub(super) struct Watched<S> {
    pub(super) stream: S,
    pub(super) traffic: Arc<Traffic>,
}

impl<S: Socket> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if buffer.filled().len() > before {
            self.traffic.note_heard();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: Socket> AsyncWrite for Watched<S> {
    /// Refuses to write to a stream that the other side has closed, because the bytes would be lost, and nobody could say so.
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.traffic.is_quiet_for() > LOOK_AFTER && self.stream.has_ended() {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        self.traffic.written.fetch_add(u64::try_from(written).unwrap_or(u64::MAX), Ordering::Release);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
