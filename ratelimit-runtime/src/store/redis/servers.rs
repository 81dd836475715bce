//! The servers of a store, for tools that operate limits. Such tools scan keys and query the servers.

use super::RedisStore;
use super::client::Client;
use super::server::Node;
use super::topology::{SLOTS, Slots, Topology, key_slot};
use crate::error::Error;
use crate::key::StoreKey;
use crate::store::{Awaited, Mode, PROBE, Reply, Request, Store};
use std::fmt;
use std::sync::Arc;

#[cfg(feature = "redis-1")]
use super::server::SendError;
#[cfg(feature = "redis-1")]
use redis::{Cmd, Pipeline, Value};

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
    /// Returns an error if no node of a cluster replies with the slots. A single server is not contacted.
    pub async fn servers(&self) -> Result<Vec<RedisServer>, Error> {
        let nodes = match &self.client.topology {
            Topology::Server(node) => vec![Arc::clone(node)],
            Topology::Cluster(slots) => {
                slots.learn(&Awaited::default()).await?;
                slots.serving_nodes()
            }
        };
        let server = |node| RedisServer { client: Arc::clone(&self.client), node };
        Ok(nodes.into_iter().map(server).collect())
    }
}

/// One server of a [`RedisStore`]. With the feature `redis-1`, a tool can send its own commands to the server.
/// [`Display`](fmt::Display) writes the host and port, the path of the socket, or the name of the primary, and no password.
///
/// The commands use the connection of the store. They have no deadline, so a command that blocks delays the decisions of this
/// process. While the server is unavailable, commands fail at once.
#[derive(Clone)]
pub struct RedisServer {
    client: Arc<Client>,
    node: Arc<Node>,
}

impl RedisServer {
    /// Whether this server decides about the key now. A single server decides about all keys.
    pub fn serves(&self, key: &StoreKey) -> bool {
        match &self.client.topology {
            Topology::Server(_) => true,
            Topology::Cluster(slots) => slots.serves(&self.node, key_slot(key.as_bytes())),
        }
    }

    /// Returns how many of the 16 384 slots of a cluster the server serves now. A single server serves all keys, so the number is
    /// 16 384.
    pub fn slots(&self) -> u16 {
        match &self.client.topology {
            Topology::Server(_) => SLOTS,
            Topology::Cluster(slots) => {
                (0..SLOTS).map(|slot| u16::from(slots.serves(&self.node, slot))).sum()
            }
        }
    }
}

#[cfg(feature = "redis-1")]
impl RedisServer {
    /// Sends a command of the crate redis 1.
    ///
    /// # Errors
    ///
    /// Returns an error if the server is unavailable, or if it replies with an error. The message contains no text of the
    /// server, because such a text may repeat keys and passwords.
    pub async fn send(&self, command: &Cmd) -> Result<Value, Error> {
        self.node.call(command, &Awaited::default()).await.map_err(SendError::explain)
    }

    /// Sends several commands at once. Returns the replies in the order of the commands. Each reply may be an error.
    ///
    /// # Errors
    ///
    /// Returns an error if the server is unavailable, like [`send`](Self::send).
    pub async fn send_all(&self, commands: &Pipeline) -> Result<Vec<Result<Value, Error>>, Error> {
        let replies = self.node.session()?.send_all(commands).await.map_err(SendError::explain)?;
        let explained =
            replies.into_iter().map(|reply| reply.map_err(|error| self.node.endpoint().explain(&error)));
        Ok(explained.collect())
    }
}

impl fmt::Display for RedisServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.endpoint().fmt(f)
    }
}

impl fmt::Debug for RedisServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RedisServer").field(self.node.endpoint()).finish()
    }
}

/// To find a key on each node, at most this many tags are tried. Together, these tags reach every slot.
const TAGS: u32 = 1 << 18;

impl RedisStore {
    /// Probes each server. See [`Store::probe`].
    pub(super) fn probe_servers(&self, key: &StoreKey) -> Reply<Vec<Reply<()>>> {
        match &self.client.topology {
            Topology::Server(node) => Reply::ready(Ok(vec![self.probe_node(node, key.clone())])),
            Topology::Cluster(slots) => {
                let (store, slots, key) = (self.clone(), Arc::clone(slots), key.clone());
                Reply::observed(|awaited| async move { store.probe_cluster(&slots, &key, &awaited).await })
            }
        }
    }

    async fn probe_cluster(
        &self,
        slots: &Arc<Slots>,
        key: &StoreKey,
        awaited: &Awaited,
    ) -> Result<Vec<Reply<()>>, Error> {
        slots.learn(awaited).await?;
        let (nodes, unserved) = slots.serving(&tagged(key));
        let mut replies: Vec<Reply<()>> =
            nodes.into_iter().map(|(node, key)| self.probe_node(&node, key)).collect();
        replies.extend(unserved.map(|error| Reply::ready(Err(error))));
        Ok(replies)
    }

    /// Returns a key like `key` for each node of a cluster, as far as the slot map is known. Empty for a single server.
    pub(super) fn keys_of_nodes(&self, key: &StoreKey) -> Vec<StoreKey> {
        match &self.client.topology {
            Topology::Server(_) => Vec::new(),
            Topology::Cluster(slots) => {
                slots.serving(&tagged(key)).0.into_iter().map(|(_, key)| key).collect()
            }
        }
    }

    /// Lets a node decide about one request with this key. If the node is unhealthy and an attempt to reach the node is under
    /// way or due, first waits for the attempt.
    fn probe_node(&self, node: &Arc<Node>, key: StoreKey) -> Reply<()> {
        let (store, node) = (self.clone(), Arc::clone(node));
        Reply::observed(|awaited| async move {
            node.session()?.until_attempted().await?;
            let mut reply = store.decide(Mode::Check, &[&Request::new(key, PROBE, 1)]);
            if let Reply::Pending(pending) = &mut reply
                && let Some(observer) = pending.observer()
            {
                awaited.set(observer);
            }
            reply.await.map(drop)
        })
    }
}

/// Returns keys that differ only in their tags. Together, they reach every slot.
fn tagged(key: &StoreKey) -> impl Iterator<Item = StoreKey> + Clone + '_ {
    (0..TAGS).map(|number| with_tag(key, number))
}

/// Returns the key with a number after the `#` in its tag. No identity has such a tag, because a hash has 32 digits.
fn with_tag(key: &StoreKey, number: u32) -> StoreKey {
    let bytes = key.as_bytes();
    let at = bytes.iter().position(|byte| *byte == b'}').unwrap_or(bytes.len());
    let (head, tail) = bytes.split_at(at);
    StoreKey::new(&[head, number.to_string().as_bytes(), tail].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::redis::topology::key_slot;
    use std::collections::HashSet;

    #[test]
    fn the_tags_reach_every_slot() {
        let key = StoreKey::new(b"shop:{#}:probe:c2");
        assert_eq!(with_tag(&key, 42).as_bytes(), b"shop:{#42}:probe:c2");
        let slots: HashSet<u16> = tagged(&key).map(|key| key_slot(key.as_bytes())).collect();
        assert_eq!(slots.len(), 16_384);
    }
}
