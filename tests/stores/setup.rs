//! What the tests of stores share: a private server, a clock that rules both stores, plain questions.

use ratelimit::{
    Decision, Limit, ManualClock, MemoryStore, RateLimiter, RateLimiterBuilder, RedisStore, Request, Store,
    StoreKey,
};
use std::time::Duration;
use support::RedisServer;

pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// A limiter on a server, with a deadline that no busy machine misses.
pub(crate) fn limiter_on(server: &RedisServer) -> RateLimiterBuilder {
    RateLimiter::builder().redis(server.url()).deadline(Duration::from_secs(20))
}

/// The script and its Rust twin under one clock.
pub(crate) struct Twins {
    pub(crate) redis: RedisStore,
    pub(crate) memory: MemoryStore<ManualClock>,
    clock: ManualClock,
    raw: redis::Connection,
    _server: RedisServer,
}

impl Twins {
    pub(crate) fn start() -> Self {
        let server = RedisServer::start();
        let clock = ManualClock::new();
        Self {
            redis: RedisStore::with_prelude(&server.url(), include_str!("clock.lua")).unwrap(),
            memory: MemoryStore::with_clock(clock.clone()),
            clock,
            raw: server.raw(),
            _server: server,
        }
    }

    pub(crate) fn set_clock(&mut self, ms: u64) {
        self.clock.set(Duration::from_millis(ms));
        redis::cmd("SET").arg("test:now").arg(ms).exec(&mut self.raw).unwrap();
    }

    /// How long the script's keys live from now on, at most, in ms.
    pub(crate) fn longest_ttl(&mut self, now: u64) -> u64 {
        let deadlines: Vec<u64> = redis::cmd("HVALS").arg("test:deadlines").query(&mut self.raw).unwrap();
        deadlines.into_iter().map(|deadline| deadline.saturating_sub(now)).max().unwrap_or(0)
    }
}

/// One request of a test: a key by number, so that bodies can be borrowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask {
    pub(crate) key: usize,
    pub(crate) limit: Limit,
    pub(crate) cost: u32,
    pub(crate) with_next: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    Decide,
    Peek,
}

pub(crate) async fn ask(store: &impl Store, question: Question, asks: &[Ask]) -> Vec<Decision> {
    let keys: Vec<String> =
        asks.iter().map(|ask| format!("t:{{{}}}:{}", ask.key, ask.limit.algorithm().as_str())).collect();
    let requests: Vec<Request<'_>> = asks
        .iter()
        .zip(&keys)
        .map(|(ask, key)| {
            let request = Request::new(StoreKey::new(key.as_bytes()), &ask.limit, ask.cost);
            if ask.with_next { request.with_next() } else { request }
        })
        .collect();
    let reply = match question {
        Question::Decide => store.decide(&requests),
        Question::Peek => store.peek(&requests),
    };
    reply.await.unwrap().to_vec()
}
