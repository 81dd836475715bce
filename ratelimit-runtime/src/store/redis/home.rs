//! Which server decides about a key: the only one, or the one that has its slot.

use super::address::Address;
use super::cluster::Cluster;
use super::failure;
use super::node::{Failed, Node};
use super::sentinel::Sentinels;
use super::url::Target;
use super::way::Way;
use crate::error::Error;
use redis::{Cmd, Value};
use std::sync::Arc;
use std::time::Duration;

/// The servers of a store.
pub(super) enum Home {
    Server(Arc<Node>),
    Cluster(Arc<Cluster>),
}

impl Home {
    pub(super) fn new(target: Target) -> Self {
        match target {
            Target::Server(address) => Self::Server(Node::new(Way::Server(address))),
            Target::Sentinel { sentinels, name, primary } => {
                Self::Server(Node::new(Way::Sentinel(Sentinels::new(sentinels, name, primary))))
            }
            Target::Cluster(seeds) => Self::Cluster(Cluster::new(seeds)),
        }
    }

    /// For messages that concern the whole.
    pub(super) fn address(&self) -> &Address {
        match self {
            Self::Server(node) => node.address(),
            Self::Cluster(cluster) => cluster.address(),
        }
    }

    pub(super) fn is_cluster(&self) -> bool {
        matches!(self, Self::Cluster(_))
    }

    /// Whether a question can be asked without a new connection.
    pub(super) fn is_open(&self) -> bool {
        match self {
            Self::Server(node) => node.is_open(),
            Self::Cluster(cluster) => cluster.is_open(),
        }
    }

    /// The server that decides about everything.
    pub(super) fn only(&self) -> Option<&Arc<Node>> {
        match self {
            Self::Server(node) => Some(node),
            Self::Cluster(_) => None,
        }
    }

    /// What a call would be told at once, because the server that decides is known to be away or too slow.
    pub(super) fn away(&self, slot: impl FnOnce() -> u16) -> Option<Error> {
        match self {
            Self::Server(node) => node.away(),
            Self::Cluster(cluster) => cluster.away(slot()),
        }
    }

    /// A caller has given up after this time.
    pub(super) fn missed(&self, slot: impl FnOnce() -> u16, deadline: Duration) {
        match self {
            Self::Server(node) => node.missed(deadline),
            Self::Cluster(cluster) => cluster.missed(slot(), deadline),
        }
    }

    /// The server that decides about a slot.
    pub(super) async fn node(&self, slot: impl FnOnce() -> u16) -> Result<Arc<Node>, Error> {
        match self {
            Self::Server(node) => Ok(Arc::clone(node)),
            Self::Cluster(cluster) => cluster.node(slot()).await,
        }
    }

    /// Sends a command there. Where it was certainly not executed, since another server decides by now, it is sent there.
    pub(super) async fn send(&self, slot: impl FnOnce() -> u16, command: &Cmd) -> Result<Value, Failed> {
        match self {
            Self::Server(node) => match node.send(command).await {
                // The connection was left; the next one leads to the primary, or nowhere.
                Err(Failed::Answer(_, error)) if failure::is_read_only(&error) => node.send(command).await,
                answer => answer,
            },
            Self::Cluster(cluster) => cluster.send(slot(), command).await,
        }
    }

    /// A server did not answer, or not what it should: another may have taken its place.
    pub(super) fn has_failed(&self) {
        if let Self::Cluster(cluster) = self {
            cluster.look_again();
        }
    }
}
