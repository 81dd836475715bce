//! The topology: which server decides about a key.
//!
//! Each module imports only from those before it: [`key_slot`], [`slot_map`], [`slot_queries`], [`slots`], [`cluster`]. This
//! file imports from all of them.
//!
//! Each server has its own node, with a circuit breaker for each runtime, so a missed deadline counts only against the session
//! that the call has waited for. The slot map is read from any node, and corrected by every redirection. The crate redis has
//! clients for clusters and sentinels, too, but they repeat calls that may have been executed, so only its connections are used.

mod cluster;
mod key_slot;
mod slot_map;
mod slot_queries;
mod slots;

use super::connect::{Endpoint, Target};
use super::errors::is_read_only;
use super::server::{Node, SendError, Session};
use crate::error::Error;
use crate::store::Awaited;
pub(crate) use key_slot::{SLOTS, key_slot};
use redis::{Cmd, Value};
pub(crate) use slots::Slots;
use std::sync::Arc;

/// The servers of a store.
///
/// A single server does not use slots: it needs no lock and does not compute the slot of a key. Therefore, the methods take the
/// slot as a closure, which only a cluster calls.
pub(crate) enum Topology {
    /// One server, or the primary that sentinels monitor.
    Server(Arc<Node>),
    Cluster(Arc<Slots>),
}

impl Topology {
    pub(crate) fn new(target: Target) -> Self {
        match target {
            Target::Server(connector) => Self::Server(Node::new(connector)),
            Target::Cluster(seeds) => Self::Cluster(Slots::new(seeds)),
        }
    }

    /// The endpoint in messages about the whole store.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        match self {
            Self::Server(node) => node.endpoint(),
            Self::Cluster(slots) => slots.endpoint(),
        }
    }

    pub(crate) const fn is_cluster(&self) -> bool {
        matches!(self, Self::Cluster(_))
    }

    /// Whether the current runtime has a usable connection to any server.
    pub(crate) fn is_connected(&self) -> bool {
        match self {
            Self::Server(node) => node.is_connected(),
            Self::Cluster(slots) => slots.is_connected(),
        }
    }

    /// The error with which calls fail at once while the server of a slot is unhealthy.
    pub(crate) fn unavailable(&self, slot: impl FnOnce() -> u16) -> Option<Error> {
        match self {
            Self::Server(node) => node.unavailable(),
            Self::Cluster(slots) => slots.unavailable(slot()),
        }
    }

    pub(crate) async fn node(
        &self,
        slot: impl FnOnce() -> u16,
        awaited: &Awaited,
    ) -> Result<Arc<Node>, Error> {
        match self {
            Self::Server(node) => Ok(Arc::clone(node)),
            // The future is boxed, so that the future for a single server is small.
            Self::Cluster(slots) => Box::pin(slots.node(slot(), awaited)).await,
        }
    }

    /// The current runtime's session with the server of a slot. `None` if that server is not known.
    pub(crate) fn known_session(&self, slot: impl FnOnce() -> u16) -> Option<Result<Arc<Session>, Error>> {
        match self {
            Self::Server(node) => Some(node.session()),
            Self::Cluster(slots) => slots.known_node(slot()).map(|node| node.session()),
        }
    }

    /// Sends a command to the server of a slot. If that server rejects the command because another server decides now, nothing
    /// was executed. The command is then sent to the other server.
    pub(crate) async fn send(
        &self,
        slot: impl FnOnce() -> u16,
        command: &Cmd,
        awaited: &Awaited,
    ) -> Result<Value, SendError> {
        match self {
            Self::Server(node) => match node.call(command, awaited).await {
                // The session has closed the connection. The next connection leads to the new primary.
                Err(SendError::Failed(_, error)) if is_read_only(&error) => node.call(command, awaited).await,
                reply => reply,
            },
            Self::Cluster(slots) => slots.send(slot(), command, awaited).await,
        }
    }

    /// Notes that a batch has failed. In a cluster, another node may have taken over the slots, so this queries the slot map.
    pub(crate) fn note_failure(&self) {
        if let Self::Cluster(slots) = self {
            slots.refresh();
        }
    }
}
