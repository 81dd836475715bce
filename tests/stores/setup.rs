//! What the tests of stores share: a private server, a clock that rules both stores, plain questions.

use ratelimit::store::{Adjustment, Change, Mode, Request, Store, StoreKey};
use ratelimit::{
    __testing, Admitted, Decision, Error, ErrorKind, Limit, ManualClock, MemoryStore, RateLimiter,
    RateLimiterBuilder, RedisStore, Rejection,
};
use std::time::Duration;
use support::RedisServer;

pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// Lua that gives the test's clock to a script.
pub(crate) const CLOCK: &str = include_str!("clock.lua");

/// A limiter on a server, with a deadline that no busy machine misses.
pub(crate) fn limiter_on(server: &RedisServer) -> RateLimiterBuilder {
    RateLimiter::builder().redis(server.url()).deadline(Duration::from_secs(20))
}

/// The decision about a call, whether it was admitted or refused.
pub(crate) fn decision(outcome: Result<Admitted, Rejection>) -> Decision {
    match outcome {
        Ok(admitted) => admitted.decision(),
        Err(rejection) => *rejection.decision().unwrap_or_else(|| panic!("no decision: {rejection:?}")),
    }
}

/// The error of a call that could not be decided.
pub(crate) fn undecided<T>(outcome: Result<T, Rejection>) -> Error {
    match outcome {
        Err(Rejection::Unidentified(unidentified)) => unidentified.error().clone(),
        Err(Rejection::Unavailable(unavailable)) => unavailable.error().clone(),
        Err(rejection) => panic!("a decision was made: {rejection:?}"),
        Ok(_) => panic!("the call has passed"),
    }
}

/// The kind of the error, if a call could not be decided.
pub(crate) fn failure<T>(outcome: Result<T, Rejection>) -> Option<ErrorKind> {
    outcome.is_err().then(|| undecided(outcome).kind())
}

/// How many operations a random test makes: `RATELIMIT_OPERATIONS` asks for more.
pub(crate) fn operations(ordinary: usize) -> usize {
    std::env::var("RATELIMIT_OPERATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(ordinary)
}

/// How often something that takes long is done: more often where `RATELIMIT_SOAK` is set.
pub(crate) fn rounds(ordinary: u32, soak: u32) -> u32 {
    if std::env::var_os("RATELIMIT_SOAK").is_some() { soak } else { ordinary }
}

/// A seed per run would make failures hard to meet again; `RATELIMIT_SEED` gives another.
pub(crate) fn seed() -> u64 {
    std::env::var("RATELIMIT_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(20_261_121)
}

/// A server that answers nothing, though it closes no connection, until this is dropped.
pub(crate) struct Stopped {
    process: String,
}

impl Stopped {
    pub(crate) fn stop(server: &RedisServer) -> Self {
        let info: String = redis::cmd("INFO").arg("server").query(&mut server.raw()).unwrap();
        let process =
            info.lines().find_map(|line| line.strip_prefix("process_id:")).unwrap().trim().to_owned();
        let stopped = Self { process };
        stopped.signal("-STOP");
        stopped
    }

    fn signal(&self, name: &str) {
        assert!(std::process::Command::new("kill").args([name, &self.process]).status().unwrap().success());
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        self.signal("-CONT");
    }
}

/// The script and its Rust twin under one clock.
pub(crate) struct Twins {
    pub(crate) redis: RedisStore,
    pub(crate) memory: MemoryStore<ManualClock>,
    clock: ManualClock,
    raw: redis::Connection,
    server: RedisServer,
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

    /// `now` in µs.
    pub(crate) fn set_clock(&mut self, now: u64) {
        self.clock.set(Duration::from_micros(now));
        redis::cmd("SET").arg("test:now").arg(now).exec(&mut self.raw).unwrap();
    }

    /// Nothing is in use any more, in both stores.
    pub(crate) fn forget(&mut self) {
        self.memory = MemoryStore::with_clock(self.clock.clone());
        redis::cmd("FLUSHALL").exec(&mut self.raw).unwrap();
    }

    /// What both stores answer, which is the same.
    pub(crate) async fn ask(&self, mode: Mode, asks: &[Ask]) -> Vec<Decision> {
        let by_memory = ask(&self.memory, mode, asks).await.unwrap();
        let by_script = ask(&self.redis, mode, asks).await.unwrap();
        assert_eq!(by_script, by_memory, "by script and by memory: {mode:?} {asks:?}");
        by_memory
    }

    /// One request alone.
    pub(crate) async fn ask_one(&self, mode: Mode, limit: Limit, cost: u32) -> Decision {
        self.ask(mode, &[Ask::new(0, limit, cost)]).await[0]
    }

    /// What both stores change, which is the same.
    pub(crate) async fn tell(&self, tells: &[Tell]) -> Vec<u32> {
        let by_memory = tell(&self.memory, tells).await.unwrap();
        let by_script = tell(&self.redis, tells).await.unwrap();
        assert_eq!(by_script, by_memory, "by script and by memory: {tells:?}");
        by_memory
    }

    /// One adjustment alone.
    pub(crate) async fn tell_one(&self, limit: Limit, units: u32, change: Change) -> u32 {
        self.tell(&[Tell { key: 0, limit, units, change }]).await[0]
    }

    /// A connection for what no store would do.
    pub(crate) fn raw(&mut self) -> &mut redis::Connection {
        &mut self.raw
    }

    /// The keys that the script has in the server.
    pub(crate) fn keys(&mut self) -> Vec<String> {
        redis::cmd("KEYS").arg("t:*").query(&mut self.raw).unwrap()
    }

    /// The longest time to live that the script has ever given to a key, in ms.
    pub(crate) fn longest_ttl(&mut self) -> u64 {
        redis::cmd("GET").arg("test:longest").query::<Option<u64>>(&mut self.raw).unwrap().unwrap_or(0)
    }
}

/// One request of a test: a key by number, so that bodies can be borrowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask {
    pub(crate) key: usize,
    pub(crate) limit: Limit,
    pub(crate) cost: u32,
    pub(crate) permit: u64,
    pub(crate) with_next: bool,
}

impl Ask {
    pub(crate) const fn new(key: usize, limit: Limit, cost: u32) -> Self {
        Self { key, limit, cost, permit: 1, with_next: false }
    }

    pub(crate) const fn with_permit(self, permit: u64) -> Self {
        Self { permit, ..self }
    }
}

/// One adjustment of a test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tell {
    pub(crate) key: usize,
    pub(crate) limit: Limit,
    pub(crate) units: u32,
    pub(crate) change: Change,
}

pub(crate) fn key(number: usize, limit: &Limit) -> String {
    format!("t:{{{number}}}:{}", limit.algorithm().as_str())
}

pub(crate) async fn ask(store: &dyn Store, mode: Mode, asks: &[Ask]) -> Result<Vec<Decision>, Error> {
    let keys: Vec<String> = asks.iter().map(|ask| key(ask.key, &ask.limit)).collect();
    let requests: Vec<Request> = asks
        .iter()
        .zip(&keys)
        .map(|(ask, key)| {
            let request = Request::new(StoreKey::new(key.as_bytes()), ask.limit, ask.cost);
            let request = request.with_permit(ask.permit);
            if ask.with_next { request.with_next() } else { request }
        })
        .collect();
    let requests: Vec<&Request> = requests.iter().collect();
    store.decide(mode, &requests).await.map(|decisions| decisions.to_vec())
}

pub(crate) async fn tell(store: &dyn Store, tells: &[Tell]) -> Result<Vec<u32>, Error> {
    let keys: Vec<String> = tells.iter().map(|tell| key(tell.key, &tell.limit)).collect();
    let adjustments: Vec<Adjustment> = tells
        .iter()
        .zip(&keys)
        .map(|(tell, key)| {
            Adjustment::new(StoreKey::new(key.as_bytes()), tell.limit, tell.units, tell.change)
        })
        .collect();
    store.adjust(&adjustments).await.map(|adjusted| adjusted.to_vec())
}
