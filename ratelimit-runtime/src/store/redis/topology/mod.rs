//! Which server decides about a key: the only one, or the one that has its slot.

mod cluster;
mod slot_map;
mod slot_queries;

use crate::error::Error;
use crate::store::Awaited;
use crate::store::redis::connect::connector::Way;
use crate::store::redis::connect::endpoint::Address;
use crate::store::redis::connect::sentinel::Sentinels;
use crate::store::redis::connect::url::Target;
use crate::store::redis::errors::failure;
use crate::store::redis::server::node::{Failed, Node};
use crate::store::redis::server::session::Session;
use crate::store::redis::topology::cluster::Cluster;
use redis::{Cmd, Value};
use std::sync::Arc;

/// The servers of a store.
pub(crate) enum Home {
    Server(Arc<Node>),
    Cluster(Arc<Cluster>),
}

impl Home {
    pub(crate) fn new(target: Target) -> Self {
        match target {
            Target::Server(address) => Self::Server(Node::new(Way::Server(address))),
            Target::Sentinel { sentinels, name, primary } => {
                Self::Server(Node::new(Way::Sentinel(Sentinels::new(sentinels, name, primary))))
            }
            Target::Cluster(seeds) => Self::Cluster(Cluster::new(seeds)),
        }
    }

    /// For messages that concern the whole.
    pub(crate) fn address(&self) -> &Address {
        match self {
            Self::Server(node) => node.address(),
            Self::Cluster(cluster) => cluster.address(),
        }
    }

    pub(crate) fn is_cluster(&self) -> bool {
        matches!(self, Self::Cluster(_))
    }

    /// Whether a question can be asked without a new connection.
    pub(crate) fn is_open(&self) -> bool {
        match self {
            Self::Server(node) => node.is_open(),
            Self::Cluster(cluster) => cluster.is_open(),
        }
    }

    /// The error to return at once, while the server that decides is known to be unavailable or too slow.
    pub(crate) fn away(&self, slot: impl FnOnce() -> u16) -> Option<Error> {
        match self {
            Self::Server(node) => node.away(),
            Self::Cluster(cluster) => cluster.away(slot()),
        }
    }

    /// The server that decides about a slot.
    pub(crate) async fn node(
        &self,
        slot: impl FnOnce() -> u16,
        awaited: &Awaited,
    ) -> Result<Arc<Node>, Error> {
        match self {
            Self::Server(node) => Ok(Arc::clone(node)),
            // What is rare is on the heap, so that the usual future is small.
            Self::Cluster(cluster) => Box::pin(cluster.node(slot(), awaited)).await,
        }
    }

    /// The session with the server that decides about a slot.
    pub(crate) async fn session(
        &self,
        slot: impl FnOnce() -> u16,
        awaited: &Awaited,
    ) -> Result<Arc<Session>, Error> {
        match self {
            Self::Server(node) => node.session(),
            Self::Cluster(_) => self.node(slot, awaited).await?.session(),
        }
    }

    /// Sends a command to the server that decides about a slot. Where the server has certainly not executed it,
    /// because another server decides by now, it is sent to that one.
    pub(crate) async fn send(
        &self,
        slot: impl FnOnce() -> u16,
        command: &Cmd,
        awaited: &Awaited,
    ) -> Result<Value, Failed> {
        match self {
            Self::Server(node) => match node.ask(command, awaited).await {
                // The connection was left; the next one leads to the primary, or nowhere.
                Err(Failed::Answer(_, error)) if failure::is_read_only(&error) => {
                    node.ask(command, awaited).await
                }
                answer => answer,
            },
            Self::Cluster(cluster) => cluster.send(slot(), command, awaited).await,
        }
    }

    /// A server did not answer, or not what it should: another may have taken its place.
    pub(crate) fn has_failed(&self) {
        if let Self::Cluster(cluster) = self {
            cluster.look_again();
        }
    }
}
