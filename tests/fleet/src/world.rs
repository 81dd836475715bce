//! The world of one run: a server, and the network that the client's connections use instead of sockets.

use crate::server::{BUFFER, Link, Server, serve};
use ratelimit::__testing::network;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The server and the links of all processes, by the host name in their URLs.
pub(crate) struct World {
    pub(crate) server: Arc<Server>,
    links: Mutex<BTreeMap<String, Arc<Link>>>,
    is_healed: AtomicBool,
}

impl World {
    /// Creates a world, and makes it the network of this thread.
    pub(crate) fn create() -> Arc<Self> {
        let world = Arc::new(Self {
            server: Arc::new(Server::start()),
            links: Mutex::default(),
            is_healed: AtomicBool::new(false),
        });
        let dialled = Arc::downgrade(&world);
        network::set(Some(Box::new(move |host, _| match dialled.upgrade() {
            Some(world) => world.dial(host),
            None => Err(io::ErrorKind::NetworkDown.into()),
        })));
        world
    }

    fn links(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Link>>> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the link of a process.
    pub(crate) fn connect(&self, host: &str, seed: u64, is_slow: bool) -> Arc<Link> {
        let link = Arc::new(Link::new(seed, is_slow));
        if self.is_healed.load(Ordering::Relaxed) {
            link.heal();
        }
        self.links().insert(host.to_owned(), Arc::clone(&link));
        link
    }

    fn dial(&self, host: &str) -> io::Result<network::Stream> {
        let link = self.links().get(host).cloned().ok_or(io::ErrorKind::NotFound)?;
        if link.is_cut() || !self.server.is_up() {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        let (client, server) = tokio::io::duplex(BUFFER);
        let task = tokio::spawn(serve(Arc::clone(&self.server), Arc::clone(&link), server)).abort_handle();
        link.add_connection(task.clone());
        self.server.add_connection(task);
        Ok(Box::new(client))
    }

    /// Ends all faults that have a time.
    pub(crate) fn heal(&self) {
        self.is_healed.store(true, Ordering::Relaxed);
        self.server.heal();
        self.links().values().for_each(|link| link.heal());
    }
}

impl Drop for World {
    fn drop(&mut self) {
        network::set(None);
    }
}
