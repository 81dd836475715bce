//! The nodes of a cluster: each call goes to the one that has its slot, and after it where it moves.

use crate::error::{Error, ErrorKind};
use crate::store::Awaited;
use crate::store::redis::connect::connector::Way;
use crate::store::redis::connect::endpoint::Address;
use crate::store::redis::errors::failure;
use crate::store::redis::server::node::{Failed, Node};
use crate::store::redis::server::per_runtime::PerRuntime;
use crate::store::redis::server::session::Session;
use crate::store::redis::topology::slot_map::{Ranges, SlotMap, place};
use crate::store::redis::topology::slot_queries::Looks;
use redis::{Cmd, ErrorKind as RedisKind, RedisError, ServerErrorKind, Value};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::watch;

/// How often a command is sent on before it is given up; its caller has a deadline too.
const ATTEMPTS: u32 = 20;
/// Keys of one slot on two nodes: the move of a slot is about to end.
const WHILE_MOVING: Duration = Duration::from_millis(5);
/// Longest time for one node to say who has which slots; longer than it takes to see that one speaks no TLS.
const PATIENCE: Duration = Duration::from_millis(1500);

pub(crate) struct Cluster {
    seeds: Vec<Arc<Node>>,
    map: RwLock<SlotMap>,
    looks: PerRuntime<Looks>,
    /// So that not always the same node is asked.
    turn: AtomicUsize,
}

impl Cluster {
    pub(crate) fn new(seeds: Vec<Address>) -> Arc<Self> {
        let seeds = seeds.into_iter().map(|seed| Node::new(Way::Node(seed))).collect();
        Arc::new(Self {
            seeds,
            map: RwLock::default(),
            looks: PerRuntime::default(),
            turn: AtomicUsize::new(0),
        })
    }

    pub(crate) fn address(&self) -> &Address {
        self.seeds[0].address()
    }

    pub(crate) fn is_open(&self) -> bool {
        self.with_map(|map| map.nodes().iter().any(|node| node.is_open()))
    }

    /// The error to return at once. Each time the slots are looked at again: another node may have taken the place of
    /// one that is unavailable.
    pub(crate) fn away(self: &Arc<Self>, slot: u16) -> Option<Error> {
        let away = match self.with_map(|map| map.node(slot)) {
            Some(node) => node.away()?,
            None if self.looks.existing()?.are_slow() => self.address().error(
                ErrorKind::Unavailable,
                "cannot decide now at the cluster of",
                "no node has answered in time who has which slots",
            ),
            None => return None,
        };
        self.look_again();
        Some(away)
    }

    /// The node that has a slot.
    pub(crate) async fn node(self: &Arc<Self>, slot: u16, awaited: &Awaited) -> Result<Arc<Node>, Error> {
        if let Some(node) = self.with_map(|map| map.node(slot)) {
            return Ok(node);
        }
        self.looked(awaited).await?;
        awaited.clear();
        self.with_map(|map| map.node(slot)).ok_or_else(|| {
            self.address().error(
                ErrorKind::Unavailable,
                "cannot decide now at the cluster of",
                "no node has this slot",
            )
        })
    }

    /// Sends a command to the node that has a slot, and where that node says it has gone.
    pub(crate) async fn send(
        self: &Arc<Self>,
        slot: u16,
        command: &Cmd,
        awaited: &Awaited,
    ) -> Result<Value, Failed> {
        let mut node = self.node(slot, awaited).await.map_err(Failed::Connect)?;
        let mut asks = false;
        let mut left = ATTEMPTS;
        loop {
            let answer = if asks {
                let session = node.session().map_err(Failed::Connect)?;
                ask(&session, command, awaited).await
            } else {
                node.ask(command, awaited).await
            };
            left -= 1;
            let (said, error) = match answer {
                Err(Failed::Answer(said, error)) if left > 0 => (said, error),
                Err(failed) => {
                    self.look_again();
                    return Err(failed);
                }
                answer => return answer,
            };
            match (error.kind(), error.redirect_node()) {
                (RedisKind::Server(ServerErrorKind::Moved), Some((to, _))) => {
                    (node, asks) = (self.moved(slot, to, &said), false);
                }
                (RedisKind::Server(ServerErrorKind::Ask), Some((to, _))) => {
                    (node, asks) = (self.at(to, &said), true);
                }
                (RedisKind::Server(ServerErrorKind::TryAgain), _) => {
                    tokio::time::sleep(WHILE_MOVING).await;
                }
                _ => {
                    if failure::explain(said.address(), &error).is_transient() {
                        self.look_again();
                    }
                    return Err(Failed::Answer(said, error));
                }
            }
        }
    }

    /// The node at an address that another has named. It is remembered: a slot that moves there sends many calls.
    fn at(&self, to: &str, said: &Session) -> Arc<Node> {
        let address = place(to, said.address());
        self.map.write().unwrap_or_else(PoisonError::into_inner).node_at(&address, &self.seeds)
    }

    fn moved(self: &Arc<Self>, slot: u16, to: &str, said: &Session) -> Arc<Node> {
        let address = place(to, said.address());
        let node =
            self.map.write().unwrap_or_else(PoisonError::into_inner).moved(slot, &address, &self.seeds);
        self.look_again();
        node
    }

    fn with_map<R>(&self, act: impl FnOnce(&SlotMap) -> R) -> R {
        act(&self.map.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Starts a look at the slots in the background, unless there was one just now.
    pub(crate) fn look_again(self: &Arc<Self>) {
        if let Ok(looks) = self.looks.current(Looks::default) {
            drop(self.start_look(&looks));
        }
    }

    /// Waits for a look at the slots: the one under way in this runtime, the one just ended, or a new one.
    async fn looked(self: &Arc<Self>, awaited: &Awaited) -> Result<(), Error> {
        let looks = self.looks.current(Looks::default)?;
        awaited.set(Arc::<Looks>::clone(&looks));
        let mut outcome = self.start_look(&looks);
        match outcome.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(outcome)) => outcome.clone(),
            _ => Err(self.address().error(ErrorKind::Unavailable, "lost the attempt to reach", "try again")),
        }
    }

    fn start_look(self: &Arc<Self>, looks: &Arc<Looks>) -> watch::Receiver<Option<Result<(), Error>>> {
        looks.start(|sender| {
            let (cluster, looks) = (Arc::clone(self), Arc::clone(looks));
            tokio::spawn(async move {
                let looked = cluster.look().await;
                if looked.is_ok() {
                    looks.succeeded();
                }
                let _ = sender.send(Some(looked));
            });
        })
    }

    /// Asks one node after another who has which slots, until one knows.
    async fn look(&self) -> Result<(), Error> {
        let mut failed = None;
        for node in self.nodes_to_ask() {
            match tokio::time::timeout(PATIENCE, slots_of(&node)).await {
                Ok(Ok(ranges)) => {
                    let mut map = self.map.write().unwrap_or_else(PoisonError::into_inner);
                    map.take(&ranges, &self.seeds);
                    return Ok(());
                }
                Ok(Err(error)) => failed = Some(error),
                Err(_) => {
                    failed.get_or_insert_with(|| {
                        let late = format_args!("not within {PATIENCE:?}");
                        node.address().error(ErrorKind::Unavailable, "no answer from", late)
                    });
                }
            }
        }
        Err(failed.unwrap_or_else(|| {
            self.address().error(ErrorKind::Unavailable, "cannot reach the cluster of", "no node answers")
        }))
    }

    /// Those with a connection first; each time another of them.
    fn nodes_to_ask(&self) -> Vec<Arc<Node>> {
        let mut nodes: Vec<Arc<Node>> = self.with_map(|map| map.nodes().to_vec());
        if !nodes.is_empty() {
            let turn = self.turn.fetch_add(1, Ordering::Relaxed) % nodes.len();
            nodes.rotate_left(turn);
        }
        for seed in &self.seeds {
            if nodes.iter().all(|node| !Arc::ptr_eq(node, seed)) {
                nodes.push(Arc::clone(seed));
            }
        }
        nodes.sort_by_key(|node| !node.is_open());
        nodes
    }
}

async fn slots_of(node: &Arc<Node>) -> Result<Ranges, Error> {
    let said = node.session()?.send(redis::cmd("CLUSTER").arg("SLOTS")).await.map_err(Failed::explain)?;
    Ranges::read(&said, node.address()).ok_or_else(|| {
        node.address().error(
            ErrorKind::Configuration,
            "cannot understand",
            "it does not say who has which slots",
        )
    })
}

/// Asks a node for a slot that is on its way to it.
async fn ask(session: &Arc<Session>, command: &Cmd, awaited: &Awaited) -> Result<Value, Failed> {
    awaited.set(Arc::<Session>::clone(session));
    let mut commands = redis::pipe();
    commands.cmd("ASKING").add_command(command.clone());
    let mut answers = session.send_all(&commands).await?;
    let answer = answers.pop().unwrap_or_else(|| Err(RedisError::from((RedisKind::Parse, "no answer"))));
    // Without ASKING the command is redirected once more, which does not say that ASKING is not permitted.
    let asked = answers.pop().unwrap_or(Ok(Value::Nil));
    answer.map_err(|error| Failed::Answer(Arc::clone(session), asked.err().unwrap_or(error)))
}
