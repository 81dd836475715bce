//! The slots of a cluster: finds the node of a slot, and queries the slot map from the nodes.

use super::key_slot;
use super::slot_map::{SlotMap, SlotRange, named_endpoint, read_ranges};
use super::slot_queries::{QueryResult, SlotQueries};
use crate::error::{Error, ErrorKind};
use crate::key::StoreKey;
use crate::store::Awaited;
use crate::store::redis::connect::{Connector, Endpoint, Role};
use crate::store::redis::server::{Node, PerRuntime, SendError, UnderWay};
use parking_lot::RwLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// The maximum time for a node to reply with the slot map. The TLS timeout is shorter: its error says that the server may not
/// use TLS.
const QUERY_TIMEOUT: Duration = Duration::from_millis(1500);

/// While a node cannot be reached, the slot map is queried at this interval, even without calls.
const FOLLOWED_AFTER: Duration = Duration::from_millis(500);

pub(super) const CANNOT_USE: &str = "cannot use the cluster of";

pub(crate) struct Slots {
    /// The nodes that the URL names.
    seeds: Vec<Arc<Node>>,
    map: RwLock<SlotMap>,
    queries: PerRuntime<SlotQueries>,
    /// The number of queries so far. It makes each query begin at another node.
    queried: AtomicUsize,
}

impl Slots {
    pub(super) fn new(seeds: Vec<Endpoint>) -> Arc<Self> {
        let seeds =
            seeds.into_iter().map(|seed| Node::new(Connector::Server(seed, Role::ClusterNode))).collect();
        Arc::new(Self {
            seeds,
            map: RwLock::default(),
            queries: PerRuntime::default(),
            queried: AtomicUsize::new(0),
        })
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        self.seeds[0].endpoint()
    }

    /// Whether the current runtime has a usable connection to any node.
    pub(super) fn is_connected(&self) -> bool {
        self.map.read().nodes.iter().any(|node| node.is_connected())
    }

    pub(super) fn known_node(&self, slot: u16) -> Option<Arc<Node>> {
        self.map.read().node(slot)
    }

    /// Queries the slot map if no slot has a node yet.
    pub(crate) async fn learn(self: &Arc<Self>, awaited: &Awaited) -> Result<(), Error> {
        let is_known = !self.map.read().is_empty();
        if is_known { Ok(()) } else { self.wait_for_query(awaited).await }
    }

    /// Each node that serves slots, together with the first of `keys` on this node. If some slots have no node, also the error
    /// that calls on these slots receive.
    pub(crate) fn serving(
        self: &Arc<Self>,
        keys: &(impl Iterator<Item = StoreKey> + Clone),
    ) -> (Vec<(Arc<Node>, StoreKey)>, Option<Error>) {
        let map = self.map.read();
        let (serving, all_served) = map.serving();
        let with_key = serving.into_iter().filter_map(|node| {
            let serves = |key: &StoreKey| {
                map.node(key_slot(key.as_bytes())).is_some_and(|serving| Arc::ptr_eq(&serving, &node))
            };
            let key = keys.clone().find(serves)?;
            Some((node, key))
        });
        let nodes = with_key.collect();
        drop(map);
        let unserved = || {
            self.refresh();
            self.endpoint().error(ErrorKind::Unavailable, CANNOT_USE, "no node serves some of its slots")
        };
        (nodes, (!all_served).then(unserved))
    }

    /// Each node that serves slots, as far as the slot map is known.
    pub(crate) fn serving_nodes(&self) -> Vec<Arc<Node>> {
        self.map.read().serving().0
    }

    /// Whether this node serves a slot.
    pub(crate) fn serves(&self, node: &Arc<Node>, slot: u16) -> bool {
        self.known_node(slot).is_some_and(|serving| Arc::ptr_eq(&serving, node))
    }

    /// If the slot map names no node for the slot, waits for a query.
    pub(super) async fn node(self: &Arc<Self>, slot: u16, awaited: &Awaited) -> Result<Arc<Node>, Error> {
        if let Some(node) = self.known_node(slot) {
            return Ok(node);
        }
        self.wait_for_query(awaited).await?;
        self.known_node(slot).ok_or_else(|| {
            self.endpoint().error(ErrorKind::Unavailable, CANNOT_USE, "no node serves the slot of the key")
        })
    }

    /// Stores the node that a redirection from `by` names, because a slot that is being moved to this node causes many
    /// redirections.
    pub(super) fn redirected(&self, to: &str, by: &Endpoint) -> Arc<Node> {
        let endpoint = named_endpoint(to, by);
        self.map.write().node_at(&endpoint, &self.seeds)
    }

    /// Assigns a slot to the node that a redirection from `by` names.
    pub(super) fn moved(self: &Arc<Self>, slot: u16, to: &str, by: &Endpoint) -> Arc<Node> {
        let endpoint = named_endpoint(to, by);
        let node = self.map.write().moved(slot, &endpoint, &self.seeds);
        self.refresh();
        node
    }

    /// Whether too many calls of the current runtime have missed their deadlines while they waited for a query.
    pub(super) fn queries_are_slow(&self) -> bool {
        self.queries.existing().is_some_and(|queries| queries.slow_calls.are_too_many())
    }

    /// Starts a query in the background. Does not start one if the last query is under way or has just begun. While a node
    /// cannot be reached, further queries follow.
    pub(super) fn refresh(self: &Arc<Self>) {
        if let Ok(queries) = self.queries.current(|_| Arc::default()) {
            drop(self.join_query(&queries));
        }
    }

    /// Finds the node that has taken over a slot from the node `of`, which cannot be reached: waits for a query of the slot map.
    /// `None` if the query fails or names no other node.
    pub(super) async fn successor(
        self: &Arc<Self>,
        slot: u16,
        of: &Arc<Node>,
        awaited: &Awaited,
    ) -> Option<Arc<Node>> {
        self.wait_for_query(awaited).await.ok()?;
        self.known_node(slot).filter(|node| !Arc::ptr_eq(node, of))
    }

    /// Waits for a query of the slot map.
    async fn wait_for_query(self: &Arc<Self>, awaited: &Awaited) -> Result<(), Error> {
        let queries = self.queries.current(|_| Arc::default())?;
        awaited.set(Arc::<SlotQueries>::clone(&queries));
        let result = self.join_query(&queries).result().await.unwrap_or_else(|| {
            let why = "the runtime that asked for its slots has shut down; try the call again";
            Err(self.endpoint().error(ErrorKind::Unavailable, CANNOT_USE, why))
        });
        if result.is_ok() {
            awaited.clear();
        }
        result
    }

    fn join_query(self: &Arc<Self>, queries: &Arc<SlotQueries>) -> UnderWay<QueryResult> {
        // The new map may still name a node that cannot be reached, so this also starts a task that repeats the query.
        if !queries.follows.swap(true, Ordering::Relaxed) {
            tokio::spawn(follow(Arc::downgrade(self), Arc::clone(queries)));
        }
        queries.join(|ending| {
            let (slots, queries) = (Arc::clone(self), Arc::clone(queries));
            tokio::spawn(async move {
                let result = slots.query().await;
                if result.is_ok() {
                    queries.slow_calls.reset();
                }
                ending.with(result);
            });
        })
    }

    /// Asks one node after another for the slot map, until one replies with it.
    async fn query(&self) -> Result<(), Error> {
        let mut failed = None;
        for node in self.nodes_to_ask() {
            match tokio::time::timeout(QUERY_TIMEOUT, slot_ranges(&node)).await {
                Ok(Ok(ranges)) => {
                    let mut map = self.map.write();
                    map.replace(&ranges, &self.seeds);
                    return Ok(());
                }
                Ok(Err(error)) => failed = Some(error),
                Err(_) => {
                    failed.get_or_insert_with(|| node.endpoint().no_reply(QUERY_TIMEOUT));
                }
            }
        }
        Err(failed
            .unwrap_or_else(|| self.endpoint().error(ErrorKind::Unavailable, CANNOT_USE, "no node is known")))
    }

    /// All known nodes, the nodes with a connection first. Each call of this function begins with another node.
    fn nodes_to_ask(&self) -> Vec<Arc<Node>> {
        let mut nodes = self.map.read().nodes.clone();
        if !nodes.is_empty() {
            let first = self.queried.fetch_add(1, Ordering::Relaxed) % nodes.len();
            nodes.rotate_left(first);
        }
        for seed in &self.seeds {
            if nodes.iter().all(|node| !Arc::ptr_eq(node, seed)) {
                nodes.push(Arc::clone(seed));
            }
        }
        nodes.sort_by_key(|node| !node.is_connected());
        nodes
    }
}

/// Queries the slot map repeatedly while a node that serves slots cannot be reached. So a node that takes over is known before
/// the next call. Each runtime has at most one such task.
async fn follow(slots: Weak<Slots>, queries: Arc<SlotQueries>) {
    loop {
        tokio::time::sleep(FOLLOWED_AFTER).await;
        let Some(slots) = slots.upgrade() else { return };
        if slots.serving_nodes().iter().all(|node| node.unavailable().is_none()) {
            queries.follows.store(false, Ordering::Relaxed);
            return;
        }
        slots.refresh();
    }
}

/// Asks a node for the slot map.
async fn slot_ranges(node: &Arc<Node>) -> Result<Vec<SlotRange>, Error> {
    let reply = node.session()?.send(redis::cmd("CLUSTER").arg("SLOTS")).await.map_err(SendError::explain)?;
    read_ranges(&reply, node.endpoint()).ok_or_else(|| {
        let why = "expected a list of slots as the reply to `CLUSTER SLOTS`";
        node.endpoint().error(ErrorKind::Configuration, "invalid reply from", why)
    })
}
