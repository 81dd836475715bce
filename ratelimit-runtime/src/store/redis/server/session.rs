//! One runtime's session with one server: its connection, its circuit breaker, and its queue of calls.

use super::connection_state::State;
use super::slow_calls::SlowCalls;
use crate::error::Error;
use crate::observe::session_unhealthy;
use crate::store::redis::connect::{Connection, Connector, Endpoint};
use crate::store::redis::errors::{is_read_only, is_unknown_script};
use crate::store::redis::waiting::{BOUNDS, Queue};
use crate::store::{Awaited, MissedDeadline};
use parking_lot::Mutex;
use redis::{Cmd, ErrorKind as RedisKind, Pipeline, RedisError, RedisResult, Value};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::runtime::Handle;

pub(crate) struct Session {
    /// The session itself, for the tasks that it starts.
    pub(super) me: Weak<Self>,
    /// The runtime of the session. A call may be polled outside of it.
    pub(crate) runtime: Handle,
    pub(super) connector: Arc<Connector>,
    pub(crate) queue: Queue,
    pub(super) state: Mutex<State>,
    pub(super) slow_calls: SlowCalls,
    /// Whether calls fail at once. A copy of the circuit breaker's state, which can be read without a lock.
    is_unhealthy: AtomicBool,
    /// The number of unhealthy sessions of the node.
    unhealthy: Arc<AtomicUsize>,
}

/// The reason why a command has no usable reply.
pub(crate) enum SendError {
    /// Nothing was sent, because there is no connection.
    NotConnected(Error),
    /// Nothing was sent, because the runtime of this session has shut down.
    RuntimeGone(Error),
    /// The server has replied with an error, or the connection has failed.
    Failed(Arc<Session>, RedisError),
}

impl SendError {
    /// Returns whether the server does not know the digest of a script. In this case it has executed nothing, so the call may
    /// be repeated by text (`EVAL`). The server also stores that text in its script cache.
    pub(crate) fn is_unknown_script(&self) -> bool {
        matches!(self, Self::Failed(_, error) if is_unknown_script(error))
    }

    pub(crate) fn explain(self) -> Error {
        match self {
            Self::NotConnected(error) | Self::RuntimeGone(error) => error,
            Self::Failed(session, error) => session.endpoint().explain(&error),
        }
    }
}

impl Session {
    pub(super) fn new(
        runtime: &Handle,
        connector: &Arc<Connector>,
        unhealthy: &Arc<AtomicUsize>,
    ) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            me: Weak::clone(me),
            runtime: runtime.clone(),
            connector: Arc::clone(connector),
            queue: Queue::new(BOUNDS),
            state: Mutex::default(),
            slow_calls: SlowCalls::default(),
            is_unhealthy: AtomicBool::new(false),
            unhealthy: Arc::clone(unhealthy),
        })
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        self.connector.endpoint()
    }

    /// Notes that a caller has received `result` in time, which resets the count of slow calls. A `result` that is a transient
    /// error does not reset the count.
    pub(crate) fn received<T>(&self, result: &Result<T, Error>) {
        if !result.as_ref().is_err_and(Error::is_transient) {
            self.slow_calls.reset();
        }
    }

    /// Sends a command for a caller that waits for the reply.
    pub(crate) async fn call(self: &Arc<Self>, command: &Cmd, awaited: &Awaited) -> Result<Value, SendError> {
        let session = Arc::clone(self);
        awaited.set(if awaited.is_in_background() { Arc::new(Background(session)) } else { session });
        let reply = self.send(command).await;
        match &reply {
            Err(SendError::NotConnected(_) | SendError::RuntimeGone(_)) => {}
            Err(SendError::Failed(_, error)) if error.is_io_error() => {}
            Ok(_) | Err(_) => self.slow_calls.reset(),
        }
        reply
    }

    /// Sends a command. If the connection breaks before anything has left this process, sends the command once more, on a new
    /// connection.
    pub(crate) async fn send(self: &Arc<Self>, command: &Cmd) -> Result<Value, SendError> {
        let mut may_repeat = true;
        loop {
            let mut connection = self.connected().await?;
            let written = connection.written();
            let reply = connection.send(command).await;
            if std::mem::take(&mut may_repeat) && connection.has_lost_unsent(written, &reply) {
                continue;
            }
            close_if_read_only(&connection, &reply);
            return reply.map_err(|error| SendError::Failed(Arc::clone(self), error));
        }
    }

    /// Sends several commands at once, like [`send`](Self::send). Each of the replies may be an error reply.
    pub(crate) async fn send_all(
        self: &Arc<Self>,
        commands: &Pipeline,
    ) -> Result<Vec<RedisResult<Value>>, SendError> {
        let mut may_repeat = true;
        loop {
            let mut connection = self.connected().await?;
            let written = connection.written();
            let replies = connection.send_all(commands).await;
            if std::mem::take(&mut may_repeat) && connection.has_lost_unsent(written, &replies) {
                continue;
            }
            let replies = replies.map_err(|error| SendError::Failed(Arc::clone(self), error))?;
            for reply in &replies {
                close_if_read_only(&connection, reply);
            }
            return Ok(replies);
        }
    }

    pub(crate) fn is_unhealthy(&self) -> bool {
        self.is_unhealthy.load(Ordering::Relaxed)
    }

    pub(super) fn set_unhealthy(&self, unhealthy: bool) {
        match (self.is_unhealthy.swap(unhealthy, Ordering::Relaxed), unhealthy) {
            (false, true) => {
                self.unhealthy.fetch_add(1, Ordering::Relaxed);
                // The waiting calls fail at once.
                self.queue.wake();
            }
            (true, false) => drop(self.unhealthy.fetch_sub(1, Ordering::Relaxed)),
            _ => return,
        }
        session_unhealthy(unhealthy);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.set_unhealthy(false);
    }
}

impl MissedDeadline for Session {
    fn missed_deadline(&self, deadline: Duration) {
        self.missed(deadline, true);
    }
}

/// Observes a request that is not part of a decision.
struct Background(Arc<Session>);

impl MissedDeadline for Background {
    fn missed_deadline(&self, deadline: Duration) {
        self.0.missed(deadline, false);
    }
}

/// Creates the error of a pipeline that has fewer replies than commands.
pub(crate) fn missing_reply() -> RedisError {
    (RedisKind::Parse, "a reply is missing").into()
}

/// Closes a connection whose server is no longer a primary. The next call connects to the new primary.
fn close_if_read_only(connection: &Connection, reply: &RedisResult<Value>) {
    if reply.as_ref().is_err_and(is_read_only) {
        connection.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::redis::connect::Role;

    #[tokio::test]
    async fn each_session_counts_once_and_until_it_is_dropped() {
        let connector = Arc::new(Connector::Server(Endpoint::given(), Role::Primary));
        let unhealthy = Arc::default();
        let [first, second] = [(); 2].map(|()| Session::new(&Handle::current(), &connector, &unhealthy));
        first.set_unhealthy(true);
        first.set_unhealthy(true);
        second.set_unhealthy(true);
        second.set_unhealthy(false);
        assert!(first.is_unhealthy() && !second.is_unhealthy());
        assert_eq!(unhealthy.load(Ordering::Relaxed), 1);
        drop(first);
        assert_eq!(unhealthy.load(Ordering::Relaxed), 0);
    }
}
