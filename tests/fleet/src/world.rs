//! The world of one run: the servers, and the network that the client's connections use instead of sockets.

use crate::held::{Held, Hold};
use crate::schedule::{Layout, Schedule};
use crate::server::{BUFFER, FIRST_PORT, Link, Owners, Role, Server, Slots, serve, split};
use ratelimit::__testing::network;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The network between one process and each server.
pub(crate) type Links = Arc<[Link]>;

/// The servers, and the links of all processes. The host name in a URL identifies the process, and the port identifies the
/// server.
pub(crate) struct World {
    pub(crate) layout: Layout,
    servers: Vec<Arc<Server>>,
    /// The server in each role.
    roles: Mutex<Vec<usize>>,
    /// The node of each slot.
    pub(crate) owners: Mutex<Owners>,
    /// Whether a failover or a move of a slot is under way. A further failover or move that comes during this time is skipped.
    pub(crate) is_changing: AtomicBool,
    links: Mutex<BTreeMap<String, Links>>,
    is_healed: AtomicBool,
    hold: Hold,
}

impl World {
    /// Creates a world, and makes it the network of this thread.
    pub(crate) fn create(schedule: &Schedule) -> Arc<Self> {
        let (layout, owners) = (schedule.layout, split(3));
        let role = |at: usize| match layout {
            Layout::One => Role::Primary,
            Layout::Sentinels => {
                [Role::Primary, Role::Replica, Role::Sentinel(0), Role::Sentinel(0)][at].clone()
            }
            Layout::Cluster { any_slot } => {
                Role::Node(Slots::new(u8::try_from(at).unwrap_or(0), Arc::clone(&owners), any_slot))
            }
        };
        let server = |at| Arc::new(Server::start(role(at), layout != Layout::One, schedule.epoch));
        let world = Arc::new(Self {
            layout,
            servers: (0..layout.servers()).map(server).collect(),
            roles: Mutex::new((0..layout.servers()).collect()),
            owners: Mutex::new(owners),
            is_changing: AtomicBool::new(false),
            links: Mutex::default(),
            is_healed: AtomicBool::new(false),
            hold: Hold::default(),
        });
        let dialled = Arc::downgrade(&world);
        network::set(Some(Box::new(move |host, port| match dialled.upgrade() {
            Some(world) => world.dial(host, port),
            None => Err(io::ErrorKind::NetworkDown.into()),
        })));
        world
    }

    fn links(&self) -> MutexGuard<'_, BTreeMap<String, Links>> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn roles(&self) -> MutexGuard<'_, Vec<usize>> {
        self.roles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn servers(&self) -> &[Arc<Server>] {
        &self.servers
    }

    /// The server that has this role now, and its number.
    pub(crate) fn in_role(&self, role: usize) -> (usize, Arc<Server>) {
        let at = self.roles()[role];
        (at, Arc::clone(&self.servers[at]))
    }

    /// The URL that a process uses to find the servers.
    pub(crate) fn url(&self, host: &str) -> String {
        let [first, second, third, fourth] = [0, 1, 2, 3].map(|at| FIRST_PORT + at);
        match self.layout {
            Layout::One => format!("redis://:secret@{host}:{first}"),
            Layout::Sentinels => format!("redis+sentinel://:secret@{host}:{third},{host}:{fourth}/main"),
            Layout::Cluster { .. } => format!("redis+cluster://:secret@{host}:{first},{host}:{second}"),
        }
    }

    /// Adds the links between a process and the servers.
    pub(crate) fn connect(&self, host: &str, seed: u64, is_slow: bool) -> Links {
        let links: Links = (0..self.servers.len() as u64)
            .map(|at| Link::new(seed.wrapping_add(at << 32), is_slow))
            .collect();
        if self.is_healed.load(Ordering::Relaxed) {
            links.iter().for_each(Link::heal);
        }
        self.links().insert(host.to_owned(), Arc::clone(&links));
        links
    }

    /// The times at which a command of each process had a fault of its link, with the number of the process.
    pub(crate) fn fired(&self, start: Instant) -> Vec<(usize, Duration)> {
        let links = self.links();
        let number = |host: &str| host.trim_start_matches('p').parse().unwrap_or(0);
        let of = |(host, links): (&String, &Links)| {
            let fired: Vec<Instant> = links.iter().flat_map(|link| link.state().fired.clone()).collect();
            fired.into_iter().map(|at| (number(host), at - start)).collect::<Vec<_>>()
        };
        links.iter().flat_map(of).collect()
    }

    fn dial(&self, host: &str, port: u16) -> io::Result<network::Stream> {
        let links = self.links().get(host).cloned().ok_or(io::ErrorKind::NotFound)?;
        let at = usize::from(port.wrapping_sub(FIRST_PORT));
        let (link, server) = links.get(at).zip(self.servers.get(at)).ok_or(io::ErrorKind::NotFound)?;
        if link.state().is_cut || !server.state().is_up {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        let (client, end) = tokio::io::duplex(BUFFER);
        let serving = serve(Arc::clone(server), (Arc::clone(&links), at), host.to_owned(), end);
        let task = tokio::spawn(serving).abort_handle();
        link.state().connections.push(task.clone());
        server.add_connection(task);
        Ok(Box::new(Held::new(client, &self.hold)))
    }

    /// Lets no process read anything until this moment. All replies arrive before it.
    pub(crate) fn hold_until(&self, until: Instant) {
        *self.hold.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
        self.links().values().flat_map(|links| links.iter()).for_each(|link| link.set_quiet(true));
    }

    /// Ends all faults that have a duration.
    pub(crate) fn heal(&self) {
        self.is_healed.store(true, Ordering::Relaxed);
        self.servers.iter().for_each(|server| server.heal());
        self.links().values().flat_map(|links| links.iter()).for_each(Link::heal);
    }
}

impl Drop for World {
    fn drop(&mut self) {
        network::set(None);
    }
}
