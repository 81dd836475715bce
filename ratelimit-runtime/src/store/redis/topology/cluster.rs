//! A cluster: sends each call to the node that serves its slot, and follows redirections.

use super::slots::{CANNOT_USE, Slots};
use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::store::Awaited;
use crate::store::redis::connect::Endpoint;
use crate::store::redis::server::{Node, SendError, Session, missing_reply};
use redis::{Cmd, ErrorKind as RedisKind, ServerErrorKind, Value};
use std::sync::Arc;
use std::time::Duration;

/// The maximum number of times that a command is sent. Its caller has a deadline too.
const ATTEMPTS: u32 = 20;
/// The pause before a command is repeated whose keys are on two nodes, because their slot is moving.
const WHILE_MOVING: Duration = Duration::from_millis(5);

pub(crate) struct Cluster {
    slots: Arc<Slots>,
}

impl Cluster {
    pub(super) fn new(seeds: Vec<Endpoint>) -> Self {
        Self { slots: Slots::new(seeds) }
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        self.slots.endpoint()
    }

    pub(super) fn is_connected(&self) -> bool {
        self.slots.is_connected()
    }

    pub(super) fn refresh_slots(&self) {
        self.slots.refresh();
    }

    /// Returns the error with which calls fail at once. Each time, the slot map is refreshed: another node may have taken over
    /// from one that is unavailable.
    pub(super) fn unavailable(&self, slot: u16) -> Option<Error> {
        let error = match self.slots.known_node(slot) {
            Some(node) => node.unavailable()?,
            None if self.slots.queries_are_slow() => {
                let why = "no node has replied to `CLUSTER SLOTS` in time";
                self.endpoint().error(ErrorKind::Unavailable, CANNOT_USE, why)
            }
            None => return None,
        };
        self.slots.refresh();
        Some(error)
    }

    /// Asks for the slot map if it is not known.
    pub(crate) async fn learn_slots(&self, awaited: &Awaited) -> Result<(), Error> {
        self.slots.learn(awaited).await
    }

    /// Returns each node that serves slots, with the first of the keys that is in one of them. If no node serves some slots,
    /// also returns the error of their keys.
    pub(crate) fn serving<K: Iterator<Item = StoreKey>>(
        &self,
        keys: impl FnOnce() -> K,
    ) -> (Vec<(Arc<Node>, StoreKey)>, Option<Error>) {
        let (nodes, all_served) = self.slots.serving(keys());
        let unserved = || {
            self.slots.refresh();
            self.endpoint().error(ErrorKind::Unavailable, CANNOT_USE, "no node serves some of its slots")
        };
        (nodes, (!all_served).then(unserved))
    }

    /// Returns each node that serves slots, as far as the slot map is known.
    pub(crate) fn serving_nodes(&self) -> Vec<Arc<Node>> {
        self.slots.serving_nodes()
    }

    /// Returns the node that serves a slot, if the slot map names one.
    pub(super) fn known_node(&self, slot: u16) -> Option<Arc<Node>> {
        self.slots.known_node(slot)
    }

    /// Returns the node that serves a slot.
    pub(super) async fn node(&self, slot: u16, awaited: &Awaited) -> Result<Arc<Node>, Error> {
        self.slots.node(slot, awaited).await
    }

    /// Sends a command to the node that serves a slot, and follows the redirections of the nodes.
    pub(super) async fn send(&self, slot: u16, command: &Cmd, awaited: &Awaited) -> Result<Value, SendError> {
        let mut node = self.slots.node(slot, awaited).await.map_err(SendError::NotConnected)?;
        let mut asking = false;
        let mut left = ATTEMPTS;
        loop {
            let reply = if asking {
                let session = node.session().map_err(SendError::NotConnected)?;
                send_asking(&session, command, awaited).await
            } else {
                node.call(command, awaited).await
            };
            left -= 1;
            let (session, error) = match reply {
                Err(SendError::Failed(session, error)) if left > 0 => (session, error),
                Err(failed) => {
                    self.slots.refresh();
                    return Err(failed);
                }
                reply => return reply,
            };
            match (error.kind(), error.redirect_node()) {
                (RedisKind::Server(ServerErrorKind::Moved), Some((to, _))) => {
                    (node, asking) = (self.slots.moved(slot, to, session.endpoint()), false);
                }
                (RedisKind::Server(ServerErrorKind::Ask), Some((to, _))) => {
                    (node, asking) = (self.slots.redirected(to, session.endpoint()), true);
                }
                (RedisKind::Server(ServerErrorKind::TryAgain), _) => {
                    tokio::time::sleep(WHILE_MOVING).await;
                }
                _ => {
                    if session.endpoint().explain(&error).is_transient() {
                        self.slots.refresh();
                    }
                    return Err(SendError::Failed(session, error));
                }
            }
        }
    }
}

/// Sends a command after `ASKING` to a node that is about to take over the slot.
async fn send_asking(session: &Arc<Session>, command: &Cmd, awaited: &Awaited) -> Result<Value, SendError> {
    awaited.set(Arc::<Session>::clone(session));
    let mut commands = redis::pipe();
    commands.cmd("ASKING").add_command(command.clone());
    let mut replies = session.send_all(&commands).await?;
    let reply = replies.pop().unwrap_or_else(|| Err(missing_reply()));
    // If `ASKING` is not permitted, the command is only redirected again. The error of `ASKING` is the useful one.
    let asking = replies.pop().unwrap_or(Ok(Value::Nil));
    reply.map_err(|error| SendError::Failed(Arc::clone(session), asking.err().unwrap_or(error)))
}
