//! One runtime's session with one server: its connection, its circuit breaker, and its queue of calls.

use super::session_connection::SessionConnection;
use super::unhealthy::UnhealthySessions;
use crate::error::{Error, ErrorKind};
use crate::store::redis::connect::{Connection, Connector};
use crate::store::redis::errors::{is_read_only, is_unknown_script};
use crate::store::redis::waiting::{CallQueue, call_queue};
use crate::store::{Awaited, MissedDeadline};
use redis::{Cmd, ErrorKind as RedisKind, Pipeline, RedisError, RedisResult, Value};
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct Session {
    pub(crate) connection: SessionConnection,
    pub(crate) queue: CallQueue,
}

/// Why a command has no usable reply.
pub(crate) enum SendError {
    /// Nothing was sent, because there is no connection.
    NotConnected(Error),
    /// Nothing was sent, because the runtime of this session has shut down.
    RuntimeGone(Arc<Session>),
    /// The server has replied with an error, or the connection has failed.
    Failed(Arc<Session>, RedisError),
}

impl SendError {
    /// Returns whether the server does not know the digest of a script. It has then executed nothing, so the call may be
    /// repeated by text (`EVAL`). The server also caches that text.
    pub(crate) fn is_unknown_script(&self) -> bool {
        matches!(self, Self::Failed(_, error) if is_unknown_script(error))
    }

    pub(crate) fn explain(self) -> Error {
        match self {
            Self::NotConnected(error) => error,
            Self::RuntimeGone(session) => session.connection.endpoint().error(
                ErrorKind::Unavailable,
                "cannot connect to",
                "the runtime that was connecting has shut down; try the call again",
            ),
            Self::Failed(session, error) => session.connection.endpoint().explain(&error),
        }
    }
}

impl Session {
    pub(super) fn new(connector: &Arc<Connector>, unhealthy: &UnhealthySessions) -> Self {
        Self { connection: SessionConnection::new(connector, unhealthy), queue: call_queue() }
    }

    /// Notes that a caller has received `result` in time. A transient error is no sign of a healthy server.
    pub(crate) fn received<T>(&self, result: &Result<T, Error>) {
        if !result.as_ref().is_err_and(Error::is_transient) {
            self.connection.received_in_time();
        }
    }

    /// Sends a command for a caller that waits for the reply.
    pub(crate) async fn call(self: &Arc<Self>, command: &Cmd, awaited: &Awaited) -> Result<Value, SendError> {
        awaited.set(Arc::<Self>::clone(self));
        let reply = self.send(command).await;
        match &reply {
            Err(SendError::NotConnected(_) | SendError::RuntimeGone(_)) => {}
            Err(SendError::Failed(_, error)) if error.is_io_error() => {}
            Ok(_) | Err(_) => self.connection.received_in_time(),
        }
        reply
    }

    /// Sends a command.
    pub(crate) async fn send(self: &Arc<Self>, command: &Cmd) -> Result<Value, SendError> {
        let mut connection = self.connected().await?;
        let reply = connection.send(command).await;
        close_if_read_only(&connection, &reply);
        reply.map_err(|error| SendError::Failed(Arc::clone(self), error))
    }

    /// Sends several commands at once. Each of the replies may be an error reply.
    pub(crate) async fn send_all(
        self: &Arc<Self>,
        commands: &Pipeline,
    ) -> Result<Vec<RedisResult<Value>>, SendError> {
        let mut connection = self.connected().await?;
        let replies = connection.send_all(commands).await;
        let replies = replies.map_err(|error| SendError::Failed(Arc::clone(self), error))?;
        for reply in &replies {
            close_if_read_only(&connection, reply);
        }
        Ok(replies)
    }

    async fn connected(self: &Arc<Self>) -> Result<Connection, SendError> {
        let connected = self.connection.get().await;
        connected.ok_or_else(|| SendError::RuntimeGone(Arc::clone(self)))?.map_err(SendError::NotConnected)
    }
}

/// Creates the error of a pipeline that has fewer replies than commands.
pub(crate) fn missing_reply() -> RedisError {
    (RedisKind::Parse, "a reply is missing").into()
}

/// Closes a connection whose server is no longer a primary. The next call connects to the new primary.
fn close_if_read_only(connection: &Connection, reply: &RedisResult<Value>) {
    if reply.as_ref().is_err_and(is_read_only) {
        connection.health().close();
    }
}

impl MissedDeadline for Session {
    fn missed_deadline(&self, deadline: Duration) {
        self.connection.missed_deadline(deadline);
    }
}
