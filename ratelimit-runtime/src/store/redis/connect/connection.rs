//! One multiplexed connection, which many calls use at the same time.

use super::io::{Io, drive};
use super::traffic::Traffic;
use parking_lot::Mutex;
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::{AsyncConnectionConfig, Cmd, Pipeline, RedisConnectionInfo, RedisError, RedisResult, Value};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::oneshot;

/// A connection to a server. A clone is cheap and uses the same socket.
#[derive(Clone)]
pub(crate) struct Connection {
    transport: Transport,
    health: Arc<Health>,
}

#[derive(Clone)]
enum Transport {
    Own(MultiplexedConnection),
    Given(GivenConnection),
}

/// Creates clones of a connection that the application has opened.
pub(crate) type GivenConnection = Arc<dyn Fn() -> Box<dyn ConnectionLike + Send> + Send + Sync>;

impl Connection {
    /// Logs in on a stream, selects the database, and starts the task that reads and writes the stream. `traffic` is that of the
    /// socket below the stream.
    pub(super) async fn open<S>(
        settings: &RedisConnectionInfo,
        stream: S,
        traffic: Arc<Traffic>,
    ) -> RedisResult<Self>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        // No timeout here, because the limiter watches the deadlines.
        let config = AsyncConnectionConfig::new().set_response_timeout(None);
        let (multiplexed, io) = MultiplexedConnection::new_with_config(settings, stream, config).await?;
        let (in_use, unused) = oneshot::channel();
        let io = Io::new(io);
        tokio::spawn(drive(Arc::clone(&io), unused));
        let (closed, in_use) = (AtomicBool::new(false), Mutex::new(Some(in_use)));
        let health = Arc::new(Health { closed, in_use, traffic, io: Some(io) });
        Ok(Self { transport: Transport::Own(multiplexed), health })
    }

    /// Uses a connection that the application has opened.
    pub(super) fn given(given: &GivenConnection) -> Self {
        let (closed, in_use) = (AtomicBool::new(false), Mutex::new(None));
        let health = Health { closed, in_use, io: None, traffic: Traffic::begin() };
        Self { transport: Transport::Given(Arc::clone(given)), health: Arc::new(health) }
    }

    pub(crate) fn is_open(&self) -> bool {
        let Health { closed, io, .. } = &*self.health;
        !closed.load(Ordering::Acquire) && !io.as_ref().is_some_and(|io| io.has_ended())
    }

    /// Returns whether a connection is a clone of this one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.health, &other.health)
    }

    pub(crate) fn traffic(&self) -> &Traffic {
        &self.health.traffic
    }

    /// Returns a number that stays the same for as long as nothing is written. `None`: not known.
    pub(crate) fn written(&self) -> Option<u64> {
        matches!(self.transport, Transport::Own(_)).then(|| self.health.traffic.written())
    }

    /// Returns whether the connection has broken and nothing was written since `written`. So the server has certainly not
    /// received what was to be sent.
    pub(crate) fn has_lost_unsent<T>(&self, written: Option<u64>, reply: &RedisResult<T>) -> bool {
        reply.as_ref().is_err_and(RedisError::is_io_error) && written.is_some() && self.written() == written
    }

    /// Stops sending calls on the connection. Calls that wait for a reply may still receive it within [`LAST_REPLIES`].
    pub(crate) fn close(&self) {
        self.health.closed.store(true, Ordering::Release);
        drop(self.health.in_use.lock().take());
    }

    /// Ends the connection. Calls that wait for a reply receive an error.
    pub(crate) fn abort(&self) {
        self.close();
        if let Some(io) = &self.health.io {
            io.end();
        }
    }

    /// `None` if the application has opened the connection. It then also reads and writes the socket.
    pub(crate) fn io(&self) -> Option<&Arc<Io>> {
        self.health.io.as_ref()
    }

    /// Sends a command. An error reply is an `Err`.
    pub(crate) async fn send(&mut self, command: &Cmd) -> RedisResult<Value> {
        let reply = match &mut self.transport {
            Transport::Own(multiplexed) => multiplexed.send_packed_command(command).await,
            Transport::Given(given) => given().req_packed_command(command).await,
        };
        self.close_if_broken(reply)?.extract_error()
    }

    /// Sends `PING`. Any reply is a success, also an error reply.
    pub(crate) async fn ping(&mut self) -> RedisResult<()> {
        match self.send(&redis::cmd("PING")).await {
            Err(error) if error.is_io_error() => Err(error),
            _ => Ok(()),
        }
    }

    /// Sends several commands at once. Each of the replies may be an error reply.
    pub(crate) async fn send_all(&mut self, commands: &Pipeline) -> RedisResult<Vec<RedisResult<Value>>> {
        let number = commands.len();
        let replies = match &mut self.transport {
            Transport::Own(multiplexed) => multiplexed.send_packed_commands(commands, 0, number).await,
            Transport::Given(given) => given().req_packed_commands(commands, 0, number).await,
        };
        Ok(self.close_if_broken(replies)?.into_iter().map(Value::extract_error).collect())
    }

    /// Closes the connection after an I/O error, so that no further call is sent on it. A connection that the application has
    /// opened has no [`Io`] that would notice the error.
    fn close_if_broken<T>(&self, reply: RedisResult<T>) -> RedisResult<T> {
        if reply.as_ref().is_err_and(RedisError::is_io_error) {
            self.close();
        } else if matches!(self.transport, Transport::Given(_)) {
            self.health.traffic.note_heard();
        }
        reply
    }
}

/// If a server sends no reply to a `PING` for this time, the connection is aborted. If a missed deadline is longer, the deadline
/// applies instead. Without this time, the connection to a server that has lost its power would stay open.
pub(crate) const UNRESPONSIVE_AFTER: Duration = Duration::from_millis(400);

/// The state of a connection that its clones share.
struct Health {
    closed: AtomicBool,
    /// Dropped when the connection is closed or its last clone is dropped, which [`drive`] notices.
    in_use: Mutex<Option<oneshot::Sender<Infallible>>>,
    traffic: Arc<Traffic>,
    /// Ends when the server closes the connection, or when its runtime shuts down. The next call then opens a new connection
    /// without having sent anything on this one.
    io: Option<Arc<Io>>,
}
