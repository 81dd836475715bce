//! A server behind a proxy, which a test can make fail in several ways.

use crate::harness::{Suspended, limiter_at};
use ratelimit::{OnError, RateLimiter};
use std::time::Duration;
use support::{MS, Proxy, RedisServer, Traffic};

/// The deadline of limiters on an unreliable server.
pub(super) const DEADLINE: Duration = Duration::from_millis(100);

/// The number of consecutive missed deadlines after which callers no longer wait for a server.
pub(super) const MISSED_BEFORE_OUTAGE: usize = 5;

/// A way in which a server fails.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    /// The server process is suspended.
    Suspended,
    /// The proxy disturbs the connections.
    Network(Traffic),
}

pub(super) const FAULTS: [Fault; 7] = [
    Fault::Suspended,
    Fault::Network(Traffic::Swallow),
    Fault::Network(Traffic::DelayReplies(Duration::from_millis(300))),
    Fault::Network(Traffic::LoseReplies),
    Fault::Network(Traffic::CutReplies),
    Fault::Network(Traffic::Reset),
    Fault::Network(Traffic::Refuse),
];

pub(super) struct UnreliableServer {
    pub(super) server: RedisServer,
    pub(super) proxy: Proxy,
    suspended: Option<Suspended>,
}

impl UnreliableServer {
    pub(super) fn start() -> Self {
        let server = RedisServer::start();
        let proxy = Proxy::start(server.port());
        Self { server, proxy, suspended: None }
    }

    /// A limiter that reaches the server through the proxy.
    pub(super) async fn limiter(&self, on_error: OnError) -> RateLimiter {
        limiter_at(self.proxy.url()).deadline(DEADLINE).on_error(on_error).connect().await.unwrap()
    }

    pub(super) fn begin(&mut self, fault: Fault) {
        match fault {
            Fault::Suspended => self.suspended = Some(Suspended::new(&self.server)),
            Fault::Network(traffic) => self.proxy.set(traffic),
        }
    }

    pub(super) fn end(&mut self) {
        drop(self.suspended.take());
        self.proxy.set(Traffic::Pass);
    }
}

/// Replies that arrive later than a short deadline.
pub(super) const LATE: Traffic = Traffic::DelayReplies(Duration::from_millis(300));

/// A deadline that is shorter than the delay of [`LATE`], so every reply misses it.
pub(super) const SHORT: Duration = MS.saturating_mul(50);
