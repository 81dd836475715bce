//! Loopback ports for servers. The kernel gives none of them to outgoing connections.
//!
//! Otherwise a client that keeps reconnecting to a dead server could get the server's port as its own local port. It
//! would then be connected to itself, and the server could not start again.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

/// A node of a cluster also uses the port this far above its own. Before version 7, this is fixed.
const BUS: u16 = 10_000;
/// Outgoing connections start at 32 768. The port and its bus port must be below.
const FIRST: u16 = 11_000;
const PORTS: u16 = BUS;

static TAKEN: AtomicU32 = AtomicU32::new(0);

/// A port that is free now, and whose bus port is free, too.
pub(crate) fn free_port() -> u16 {
    // Processes start at different ports, and try all others before they return to the first.
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
