//! Loopback ports for servers, none of which the kernel would give to an outgoing connection.
//!
//! Otherwise a client that tries again and again to reach a dead server would one day have the server's own port on its
//! side, be connected with itself, and keep the port from the server.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

/// A node of a cluster takes this many above its port as well; from version 7 on, another one could be named.
const BUS: u16 = 10_000;
/// Below 32 768, where outgoing connections begin, together with the ports of the bus.
const FIRST: u16 = 11_000;
const PORTS: u16 = BUS;

static TAKEN: AtomicU32 = AtomicU32::new(0);

/// A port that nobody listens on now, nor on that of its bus.
pub(crate) fn free_port() -> u16 {
    // Processes begin at different places, and each of them meets its own ports again only after all others.
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
