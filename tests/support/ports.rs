//! Loopback ports for servers. The kernel gives none of these ports to outgoing connections.
//!
//! Otherwise the kernel could give the port of a dead server to a client that reconnects to this server. The client would then
//! be connected to itself, and the server could not start again.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

/// A node of a cluster also uses the port that is this number above its own port. Before version 7, the number is fixed.
const BUS: u16 = 10_000;
/// The first port for servers. Outgoing connections use ports from 32 768 on, so a server's port and its bus port must be
/// lower.
const FIRST: u16 = 11_000;
const PORTS: u16 = BUS;

static TAKEN: AtomicU32 = AtomicU32::new(0);

/// Returns a port that is free now and whose bus port is free, too.
pub(crate) fn free_port() -> u16 {
    // Each process starts at another port, and tries all other ports before it reuses one.
    let start = std::process::id().wrapping_mul(131);
    for _ in 0..PORTS {
        let number = start.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed)) % u32::from(PORTS);
        let port = FIRST + u16::try_from(number).expect("less than the number of ports");
        if is_free(port) && is_free(port + BUS) {
            return port;
        }
    }
    panic!("no free port on loopback");
}

fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}
