//! A cluster of one node that owns all slots. It starts faster than a real cluster.

use super::limiters::limiter_on;
use super::waiting::PATIENCE;
use ratelimit::RateLimiterBuilder;
use std::time::Instant;
use support::RedisServer;

pub(crate) fn cluster_of_one() -> RedisServer {
    let server = RedisServer::builder().args(["--cluster-enabled", "yes"]).start();
    let mut raw = server.raw();
    let slots: Vec<u32> = (0..16_384).collect();
    redis::cmd("CLUSTER").arg("ADDSLOTS").arg(slots).exec(&mut raw).unwrap();
    let start = Instant::now();
    loop {
        let info: String = redis::cmd("CLUSTER").arg("INFO").query(&mut raw).unwrap();
        if info.contains("cluster_state:ok") {
            return server;
        }
        assert!(start.elapsed() < PATIENCE, "{info}");
    }
}

/// The URL of a cluster of one node.
pub(crate) fn on_slots(server: &RedisServer) -> String {
    server.url().replace("redis://", "redis+cluster://")
}

/// A limiter on a cluster of one node.
pub(crate) fn limiter_on_slots(server: &RedisServer) -> RateLimiterBuilder {
    limiter_on(server).redis(on_slots(server))
}
