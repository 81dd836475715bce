//! A private cluster: primaries that share the slots, each with one replica.

mod members;
mod slots;

use crate::ports::free_port;
use crate::proxy::Proxy;
use crate::server::RedisServer;
use crate::wait::until;
use members::{Member, Table};
use redis::RedisResult;
use std::thread;
use std::time::{Duration, Instant};

/// The number of slots.
pub(crate) const SLOTS: u16 = 16_384;

/// The time in milliseconds after which a silent primary is replaced. A short time also makes the nodes find each other faster.
const NODE_TIMEOUT: &str = "1000";
/// The same time after the cluster is complete. It is long, so that no primary is replaced because a busy machine stalls.
const CALM: &str = "60000";

/// Primaries and their replicas, each a [`RedisServer`]. The port for clients identifies a node.
///
/// A silent primary is replaced only [on request](Self::with_failover).
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<Node>,
}

#[derive(Debug)]
struct Node {
    /// The port for clients: the proxy's port if there is a proxy.
    port: u16,
    proxy: Option<Proxy>,
    server: RedisServer,
}

impl Cluster {
    /// Starts `primaries` primaries, each with a replica. Waits until primaries serve all slots and every replica is
    /// synchronized. An election needs at least three primaries.
    #[must_use]
    pub fn start(primaries: usize) -> Self {
        Self::assemble(primaries, |_| Node::start(None))
    }

    /// Starts a cluster like [`start`](Self::start), with a [`proxy`](Self::proxy) in front of each node. The cluster tells its
    /// clients the ports of the proxies.
    #[must_use]
    pub fn behind_proxies(primaries: usize) -> Self {
        Self::assemble(primaries, |_| Node::start(Some(free_port())))
    }

    fn assemble(primaries: usize, start: impl Fn(usize) -> Node + Sync) -> Self {
        let start = &start;
        let nodes = thread::scope(|scope| {
            let starting: Vec<_> = (0..2 * primaries).map(|at| scope.spawn(move || start(at))).collect();
            starting.into_iter().map(|node| node.join().expect("a node can be started")).collect()
        });
        let cluster = Self { nodes };
        cluster.share_slots(primaries);
        cluster.introduce();
        cluster.give_replicas(primaries);
        cluster.wait_until_whole();
        cluster.set_node_timeout(CALM);
        cluster
    }

    /// The URL with all nodes: `redis+cluster://127.0.0.1:port,127.0.0.1:port,..`
    #[must_use]
    pub fn url(&self) -> String {
        let nodes: Vec<_> = self.ports().iter().map(|port| format!("127.0.0.1:{port}")).collect();
        format!("redis+cluster://{}", nodes.join(","))
    }

    /// The ports of all nodes. When the cluster starts, the first half of the nodes are the primaries.
    #[must_use]
    pub fn ports(&self) -> Vec<u16> {
        self.nodes.iter().map(|node| node.port).collect()
    }

    /// The server behind a port, for assertions and faults.
    #[must_use]
    pub fn server(&self, port: u16) -> &RedisServer {
        &self.node(port).server
    }

    /// The proxy of a node. The cluster must have been started [behind proxies](Self::behind_proxies).
    #[must_use]
    pub fn proxy(&self, port: u16) -> &Proxy {
        self.node(port).proxy.as_ref().expect("this cluster has proxies")
    }

    /// Lets a replica replace its primary if the primary is silent for one second. The replacement takes about 2 seconds.
    #[must_use]
    pub fn with_failover(self) -> Self {
        self.set_node_timeout(NODE_TIMEOUT);
        self
    }

    /// Kills a node.
    pub fn kill(&mut self, port: u16) {
        self.node_mut(port).server.kill();
    }

    /// Starts a killed node again. If its replica has replaced it, the node becomes a replica of that new primary. Otherwise it
    /// is an empty primary.
    pub fn restart(&mut self, port: u16) {
        self.node_mut(port).server.restart();
    }

    /// The port of a primary's replica.
    #[must_use]
    pub fn replica_of(&self, primary: u16) -> u16 {
        let id = self.member(primary).id;
        let members = self.members();
        let replica = members.iter().find(|member| member.replicates.as_ref() == Some(&id));
        replica.expect("the primary has a replica").port
    }

    /// Makes the replica of a primary replace it, and waits until the replica is the primary. Returns the replica's port.
    #[must_use]
    pub fn hand_over(&self, primary: u16) -> u16 {
        let replica = self.replica_of(primary);
        let mut ordered: Option<Instant> = None;
        until("a replica takes over", || {
            // Shortly after another election, an attempt may get too few votes. It then ends after 5 seconds.
            if ordered.is_none_or(|then| then.elapsed() > Duration::from_secs(1)) {
                let mut raw = self.server(replica).raw();
                let _ = redis::cmd("CLUSTER").arg("FAILOVER").exec(&mut raw);
                ordered = Some(Instant::now());
            }
            self.member(replica).is_primary() && !self.member(primary).is_primary()
        });
        replica
    }

    /// Waits until every running node is healthy: primaries serve all slots, and each primary has a synchronized replica.
    pub fn wait_until_whole(&self) {
        until("the cluster is whole", || self.nodes().all(|node| node.is_content().unwrap_or(false)));
    }

    fn set_node_timeout(&self, timeout: &str) {
        for node in &self.nodes {
            let mut set = redis::cmd("CONFIG");
            set.arg("SET").arg("cluster-node-timeout").arg(timeout);
            set.exec(&mut node.server.raw()).expect("the timeout can be changed");
        }
    }

    fn share_slots(&self, primaries: usize) {
        for (at, node) in self.nodes.iter().enumerate() {
            let mut raw = node.server.raw();
            // Sets the epochs, so that the nodes need not negotiate them.
            redis::cmd("CLUSTER").arg("SET-CONFIG-EPOCH").arg(at + 1).exec(&mut raw).expect("it is new");
            let own: Vec<u16> =
                (0..SLOTS).filter(|slot| usize::from(*slot) * primaries / usize::from(SLOTS) == at).collect();
            if !own.is_empty() {
                redis::cmd("CLUSTER").arg("ADDSLOTS").arg(own).exec(&mut raw).expect("they are free");
            }
        }
    }

    fn introduce(&self) {
        for (at, node) in self.nodes.iter().enumerate() {
            let mut raw = node.server.raw();
            for other in &self.nodes[at + 1..] {
                let mut meet = redis::cmd("CLUSTER");
                meet.arg("MEET").arg("127.0.0.1").arg(other.port).arg(other.server.port() + 10_000);
                meet.exec(&mut raw).expect("nodes can meet");
            }
        }
    }

    fn give_replicas(&self, primaries: usize) {
        for (primary, replica) in self.nodes[..primaries].iter().zip(&self.nodes[primaries..]) {
            let id = self.member(primary.port).id;
            let (mut raw, mut introduced) = (replica.server.raw(), Instant::now());
            until("a replica has heard of its primary", || {
                // On a busy machine, a node may not reply within a second. The other nodes then forget it.
                if introduced.elapsed() > Duration::from_secs(1) {
                    self.introduce();
                    introduced = Instant::now();
                }
                redis::cmd("CLUSTER").arg("REPLICATE").arg(&id).exec(&mut raw).is_ok()
            });
        }
    }

    fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.server.is_running())
    }

    /// The running nodes. Each node describes itself.
    fn members(&self) -> Vec<Member> {
        self.nodes().filter_map(|node| Member::ask(node).ok()).collect()
    }

    fn member(&self, port: u16) -> Member {
        Member::ask(self.node(port)).expect("the node answers")
    }

    fn node(&self, port: u16) -> &Node {
        self.nodes.iter().find(|node| node.port == port).expect("the port of a node")
    }

    fn node_mut(&mut self, port: u16) -> &mut Node {
        self.nodes.iter_mut().find(|node| node.port == port).expect("the port of a node")
    }
}

impl Node {
    fn start(proxy: Option<u16>) -> Self {
        let options = ["--cluster-enabled", "yes", "--cluster-node-timeout", NODE_TIMEOUT];
        // Since version 7, a primary would wait 5 seconds for more replicas.
        let quick = ["--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0"];
        let mut builder = RedisServer::builder().args(options).args(quick);
        if let Some(port) = proxy {
            builder = builder.args(["--cluster-announce-port".to_owned(), port.to_string()]);
        }
        let server = builder.start();
        let proxy = proxy.map(|port| Proxy::start_on(port, server.port()));
        Self { port: proxy.as_ref().map_or(server.port(), Proxy::port), proxy, server }
    }

    fn is_content(&self) -> RedisResult<bool> {
        let mut raw = self.server.try_raw()?;
        let cluster: String = redis::cmd("CLUSTER").arg("INFO").query(&mut raw)?;
        let replication: String = redis::cmd("INFO").arg("replication").query(&mut raw)?;
        let says = |line: &str| replication.lines().any(|said| said.trim() == line);
        let in_step = if says("role:master") {
            replication.contains("state=online")
        } else {
            says("master_link_status:up")
        };
        Ok(in_step && cluster.contains("cluster_state:ok") && Table::ask(self)?.is_whole())
    }
}
