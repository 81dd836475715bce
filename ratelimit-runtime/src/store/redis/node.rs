//! One server, and all that is on its way to it.

use super::address::Address;
use super::commit::Commit;
use super::connection::Connection;
use super::failure;
use super::link::Link;
use super::way::Way;
use crate::error::Error;
use redis::{Cmd, Pipeline, RedisError, RedisResult, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(super) struct Node {
    link: Link,
    pub(super) commit: Commit,
    knows_adjust: AtomicBool,
}

/// Why there is no answer that can be used.
pub(super) enum Failed {
    /// Nothing was sent.
    Connect(Error),
    /// The server's error, or the way's.
    Answer(Arc<Node>, RedisError),
}

impl Failed {
    pub(super) fn explain(self) -> Error {
        match self {
            Self::Connect(error) => error,
            Self::Answer(node, error) => failure::explain(node.address(), &error),
        }
    }
}

impl Node {
    pub(super) fn new(way: Way) -> Arc<Self> {
        Arc::new(Self { link: Link::new(way), commit: Commit::new(), knows_adjust: AtomicBool::new(false) })
    }

    pub(super) fn address(&self) -> &Address {
        self.link.address()
    }

    /// Whether there is a connection that can be used now.
    pub(super) fn is_open(&self) -> bool {
        self.link.is_open()
    }

    /// What a call would be told at once, because the server is known to be away or too slow.
    pub(super) fn away(&self) -> Option<Error> {
        self.link.away()
    }

    /// A caller has heard from the server, or that it is away.
    pub(super) fn heard<T>(&self, answer: &Result<T, Error>) {
        self.link.heard(answer);
    }

    /// A caller has given up after this time.
    pub(super) fn missed(&self, deadline: Duration) {
        self.link.missed(deadline);
    }

    /// Whether it has answered to the digest of the script that adjusts.
    pub(super) fn knows_adjust(&self) -> bool {
        self.knows_adjust.load(Ordering::Relaxed)
    }

    pub(super) fn has_learned_adjust(&self) {
        self.knows_adjust.store(true, Ordering::Relaxed);
    }

    pub(super) async fn send(self: &Arc<Self>, command: &Cmd) -> Result<Value, Failed> {
        let mut connection = self.link.get().await.map_err(Failed::Connect)?;
        let answer = connection.send(command).await;
        leave_if_read_only(&connection, &answer);
        answer.map_err(|error| Failed::Answer(Arc::clone(self), error))
    }

    /// Several commands at once. The answer to each may be an error of its own.
    pub(super) async fn send_all(
        self: &Arc<Self>,
        commands: &Pipeline,
    ) -> Result<Vec<RedisResult<Value>>, Failed> {
        let mut connection = self.link.get().await.map_err(Failed::Connect)?;
        let answers = connection.send_all(commands).await;
        let answers = answers.map_err(|error| Failed::Answer(Arc::clone(self), error))?;
        for answer in &answers {
            leave_if_read_only(&connection, answer);
        }
        Ok(answers)
    }
}

/// What was the primary is one no more. The next call looks for the new one.
fn leave_if_read_only(connection: &Connection, answer: &RedisResult<Value>) {
    if answer.as_ref().is_err_and(failure::is_read_only) {
        connection.health().close();
    }
}
