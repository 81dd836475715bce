//! Both stores under one clock that the test moves: the scripts in Redis, and their Rust twins in memory.

use super::requests::{TestAdjustment, TestRequest, adjust, decide};
use ratelimit::clock::{Clock, ManualClock};
use ratelimit::store::Mode;
use ratelimit::{__testing, Decision, MemoryStore, RedisStore};
use std::time::Duration;
use support::RedisServer;

/// Lua code that is put in front of a script, and replaces the server's clock with the test's clock.
pub(crate) const CLOCK: &str = include_str!("clock.lua");

pub(crate) struct Twins {
    pub(crate) redis: RedisStore,
    pub(crate) memory: MemoryStore<ManualClock>,
    pub(crate) server: RedisServer,
    clock: ManualClock,
    raw: redis::Connection,
}

impl Twins {
    pub(crate) fn start() -> Self {
        let server = RedisServer::start();
        let clock = ManualClock::new();
        Self {
            redis: __testing::with_prelude(&server.url(), CLOCK).unwrap(),
            memory: MemoryStore::with_clock(clock.clone()),
            clock,
            raw: server.raw(),
            server,
        }
    }

    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// Sets the clock of both stores, in microseconds.
    pub(crate) fn set_clock(&mut self, now: u64) {
        self.clock.set(Duration::from_micros(now));
        redis::cmd("SET").arg("test:now").arg(now).exec(&mut self.raw).unwrap();
    }

    /// Advances the clock of both stores.
    pub(crate) fn pass(&mut self, time: Duration) {
        self.set_clock(u64::try_from((self.clock.now() + time).as_micros()).unwrap());
    }

    /// Removes all state from both stores.
    pub(crate) fn clear(&mut self) {
        self.memory = MemoryStore::with_clock(self.clock.clone());
        redis::cmd("FLUSHALL").exec(&mut self.raw).unwrap();
    }

    /// Makes requests on both stores. Their decisions must be equal.
    pub(crate) async fn decide(&self, mode: Mode, requests: &[TestRequest]) -> Vec<Decision> {
        let by_memory = decide(&self.memory, mode, requests).await.unwrap();
        let by_script = decide(&self.redis, mode, requests).await.unwrap();
        assert_eq!(by_script, by_memory, "by script and by memory: {mode:?} {requests:?}");
        by_memory
    }

    /// Makes adjustments on both stores. The adjusted units must be equal.
    pub(crate) async fn adjust(&self, adjustments: &[TestAdjustment]) -> Vec<u32> {
        let by_memory = adjust(&self.memory, adjustments).await.unwrap();
        let by_script = adjust(&self.redis, adjustments).await.unwrap();
        assert_eq!(by_script, by_memory, "by script and by memory: {adjustments:?}");
        by_memory
    }

    /// A plain connection to the server.
    pub(crate) fn raw(&mut self) -> &mut redis::Connection {
        &mut self.raw
    }

    /// The keys of limits in the server.
    pub(crate) fn keys(&mut self) -> Vec<String> {
        redis::cmd("KEYS").arg("t:*").query(&mut self.raw).unwrap()
    }

    /// The longest TTL that a script has set, in ms.
    pub(crate) fn longest_ttl(&mut self) -> u64 {
        redis::cmd("GET").arg("test:longest").query::<Option<u64>>(&mut self.raw).unwrap().unwrap_or(0)
    }
}
