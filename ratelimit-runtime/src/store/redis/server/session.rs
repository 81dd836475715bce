//! One runtime's session with one server: the connection, its circuit breaker, and the queue of calls.

use crate::error::Error;
use crate::store::redis::batch::commit::Commit;
use crate::store::redis::connect::connection::Connection;
use crate::store::redis::connect::connector::Way;
use crate::store::redis::connect::endpoint::Address;
use crate::store::redis::errors::failure;
use crate::store::redis::server::node::Failed;
use crate::store::redis::server::reconnect::Link;
use crate::store::{Awaited, MissedDeadline};
use redis::{Cmd, Pipeline, RedisResult, Value};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

pub(crate) struct Session {
    link: Link,
    pub(crate) commit: Commit,
}

impl Session {
    /// A session that counts itself in `ill` while its server is unavailable or too slow.
    pub(crate) fn new(way: &Arc<Way>, ill: &Arc<AtomicUsize>) -> Self {
        Self { link: Link::new(way, ill), commit: Commit::new() }
    }

    pub(crate) fn address(&self) -> &Address {
        self.link.address()
    }

    /// Whether there is a connection that can be used now.
    pub(crate) fn is_open(&self) -> bool {
        self.link.is_open()
    }

    /// The error to return at once, while the server is known to be unavailable or too slow.
    pub(crate) fn away(&self) -> Option<Error> {
        self.link.away()
    }

    /// Notes that a caller has received an answer in time.
    pub(crate) fn heard<T>(&self, answer: &Result<T, Error>) {
        if !answer.as_ref().is_err_and(Error::is_transient) {
            self.link.kept();
        }
    }

    /// Sends a command for a caller that waits for the answer.
    pub(crate) async fn ask(self: &Arc<Self>, command: &Cmd, awaited: &Awaited) -> Result<Value, Failed> {
        awaited.set(Arc::<Self>::clone(self));
        let answer = self.send(command).await;
        match &answer {
            Err(Failed::Connect(_) | Failed::Lost(_)) => {}
            Err(Failed::Answer(_, error)) if error.is_io_error() => {}
            Ok(_) | Err(_) => self.link.kept(),
        }
        answer
    }

    pub(crate) async fn send(self: &Arc<Self>, command: &Cmd) -> Result<Value, Failed> {
        let mut connection = self.connection().await?;
        let answer = connection.send(command).await;
        leave_if_read_only(&connection, &answer);
        answer.map_err(|error| Failed::Answer(Arc::clone(self), error))
    }

    async fn connection(self: &Arc<Self>) -> Result<Connection, Failed> {
        let outcome = self.link.get().await;
        outcome.ok_or_else(|| Failed::Lost(Arc::clone(self)))?.map_err(Failed::Connect)
    }

    /// Sends several commands at once. The answer to each may be an error of its own.
    pub(crate) async fn send_all(
        self: &Arc<Self>,
        commands: &Pipeline,
    ) -> Result<Vec<RedisResult<Value>>, Failed> {
        let mut connection = self.connection().await?;
        let answers = connection.send_all(commands).await;
        let answers = answers.map_err(|error| Failed::Answer(Arc::clone(self), error))?;
        for answer in &answers {
            leave_if_read_only(&connection, answer);
        }
        Ok(answers)
    }
}

/// Closes a connection whose server is no longer a primary. The next call looks for the new primary.
fn leave_if_read_only(connection: &Connection, answer: &RedisResult<Value>) {
    if answer.as_ref().is_err_and(failure::is_read_only) {
        connection.health().close();
    }
}

impl MissedDeadline for Session {
    fn missed_deadline(&self, deadline: Duration) {
        self.link.missed(deadline);
    }
}
