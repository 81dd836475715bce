//! The servers of a store, for tools that operate limits: they scan keys and ask servers about themselves.

use super::RedisStore;
use super::server::Node;
#[cfg(feature = "redis-1")]
use super::server::SendError;
use super::topology::Topology;
use crate::error::Error;
use crate::store::Awaited;
#[cfg(feature = "redis-1")]
use redis::{Cmd, Pipeline, Value};
use std::fmt;
use std::sync::Arc;

impl RedisStore {
    /// Returns the servers that decide now: the server of the URL, the primary that the sentinels name, or each node of a
    /// cluster that serves slots. It is for tools; a limiter finds its servers by itself.
    ///
    /// ```no_run
    /// # #[cfg(feature = "redis-1")]
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use ratelimit::RedisStore;
    ///
    /// let store = RedisStore::new("redis+cluster://127.0.0.1:7000")?;
    /// for server in store.servers().await? {
    ///     println!("{server}: {:?}", server.send(&redis::cmd("DBSIZE")).await?);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// If no node of a cluster replies with the slots. A single server is not asked anything.
    pub async fn servers(&self) -> Result<Vec<RedisServer>, Error> {
        let nodes = match self.client.topology() {
            Topology::Server(node) => vec![Arc::clone(node)],
            Topology::Cluster(slots) => {
                slots.learn(&Awaited::default()).await?;
                slots.serving_nodes()
            }
        };
        Ok(nodes.into_iter().map(RedisServer).collect())
    }
}

/// One server of a [`RedisStore`], to which a tool sends commands of its own (feature `redis-1`). [`Display`](fmt::Display) writes its
/// host and port, the path of its socket, or the name of the primary, and no password.
///
/// The commands use the connection of the store. They have no deadline, so a command that blocks delays the decisions of this
/// process. While the server is unavailable, commands fail at once.
#[derive(Clone)]
pub struct RedisServer(Arc<Node>);

#[cfg(feature = "redis-1")]
impl RedisServer {
    /// Sends a command of the crate redis 1.
    ///
    /// # Errors
    ///
    /// If the server is unavailable, or replies with an error. The message contains no text of the server, because such a
    /// text may repeat keys and passwords.
    pub async fn send(&self, command: &Cmd) -> Result<Value, Error> {
        self.0.call(command, &Awaited::default()).await.map_err(SendError::explain)
    }

    /// Sends several commands at once. Returns their replies in the same order. Each of them may be an error.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send), if the server is unavailable.
    pub async fn send_all(&self, commands: &Pipeline) -> Result<Vec<Result<Value, Error>>, Error> {
        let replies = self.0.session()?.send_all(commands).await.map_err(SendError::explain)?;
        let explained =
            replies.into_iter().map(|reply| reply.map_err(|error| self.0.endpoint().explain(&error)));
        Ok(explained.collect())
    }
}

impl fmt::Display for RedisServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.endpoint().fmt(f)
    }
}

impl fmt::Debug for RedisServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RedisServer").field(self.0.endpoint()).finish()
    }
}
