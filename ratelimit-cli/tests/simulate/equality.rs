//! Tests that a simulation makes the same decisions as the limiter in memory, and as the scripts in a private Redis.

use crate::harness::Folder;
use ratelimit::clock::ManualClock;
use ratelimit::store::{Mode, Request, Store, StoreKey};
use ratelimit::{__testing, Decision, Key, Limit, MemoryStore, RateLimiter, RedisStore, Rejection};
use std::time::Duration;
use support::RedisServer;

/// Replaces the clock of the server by `test:now`, in microseconds.
const CLOCK: &str = include_str!("../../../tests/stores/harness/clock.lua");

const LIMITS: [&str; 8] = [
    "counter count=20 time=30s",
    "sliding_window count=20 time=30s",
    "sliding_log count=20 time=30s",
    "token_bucket count=20 time=30s burst=7 borrow=2",
    "token_bucket count=20 time=30s refill=interval",
    "leaky_bucket count=20 time=30s burst=5",
    "leaky_bucket count=20 time=30s wait=4s",
    "counter count=20 time=30s wait=10s",
];

/// A row of the file that `--calls` writes.
#[derive(Debug)]
struct Row {
    at: u64,
    caller: String,
    /// A decision: whether the call was admitted, and its wait. For an admitted call, the text is the units that remained; for a
    /// refused call, the time until it would pass.
    decided: (bool, u64, String),
}

fn simulate(limit: &str) -> Vec<Row> {
    let folder = Folder::new();
    let traffic =
        ["--poisson", "200/min", "--burst", "25", "--every", "40s", "--for", "3m", "--callers", "4"];
    let arguments = [&[limit], &traffic[..], &["--calls", "calls.csv"]].concat();
    folder.run(&arguments).ok();
    folder.read("calls.csv").lines().skip(1).map(row).collect()
}

fn row(line: &str) -> Row {
    let cells: Vec<&str> = line.split(',').collect();
    let [_, time, caller, decision, wait, remaining, retry] = cells[..] else { panic!("{line}") };
    let (seconds, micros) = time.split_once('.').unwrap();
    let at = seconds.parse::<u64>().unwrap() * 1_000_000 + micros.parse::<u64>().unwrap();
    let wait = wait.parse().unwrap_or(0);
    Row {
        at,
        caller: caller.to_owned(),
        decided: (decision == "admitted", wait, format!("{remaining}{retry}")),
    }
}

fn shown(decision: &Decision) -> (bool, u64, String) {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap();
    let rest = match (decision.is_allowed(), decision.retry_after()) {
        (true, _) => decision.remaining().to_string(),
        (false, Some(after)) => micros(after).to_string(),
        (false, None) => "never".to_owned(),
    };
    (decision.is_allowed(), micros(decision.delay()), rest)
}

/// Both admitted and refused calls must occur, or the comparison proves nothing.
fn assert_telling(rows: &[Row]) {
    let admitted = rows.iter().filter(|row| row.decided.0).count();
    assert!(admitted > 50 && rows.len() - admitted > 50, "{admitted} of {}", rows.len());
}

struct Redis {
    store: RedisStore,
    raw: redis::Connection,
    _server: RedisServer,
}

impl Redis {
    fn start() -> Self {
        let server = RedisServer::start();
        let store = __testing::with_prelude(&server.url(), CLOCK).unwrap();
        Self { store, raw: server.raw(), _server: server }
    }

    fn set_clock(&mut self, at: u64) {
        // Any start time works, so take one that a real server could have.
        redis::cmd("SET").arg("test:now").arg(1_795_347_401_000_000 + at).exec(&mut self.raw).unwrap();
    }

    async fn decide(&self, mode: Mode, request: &Request) -> Decision {
        self.store.decide(mode, &[request]).await.unwrap()[0]
    }
}

#[tokio::test]
async fn a_limiter_in_memory_decides_the_same() {
    for text in LIMITS.into_iter().filter(|text| !text.contains("wait")) {
        let limit: Limit = text.parse().unwrap();
        let rows = simulate(text);
        assert_telling(&rows);
        let clock = ManualClock::new();
        let limiter =
            RateLimiter::builder().store(MemoryStore::with_clock(clock.clone())).connect().await.unwrap();
        for row in rows {
            clock.set(Duration::from_micros(row.at));
            let decision = match limiter.check(&limit, Key::new("calls").by(&row.caller)).await {
                Ok(admitted) => admitted.decision(),
                Err(Rejection::Limited(refused)) => refused.decision(),
                Err(other) => panic!("{other:?}"),
            };
            assert_eq!(shown(&decision), row.decided, "{text} at {}", row.at);
        }
    }
}

#[tokio::test]
async fn the_scripts_in_redis_decide_the_same() {
    let mut redis = Redis::start();
    for text in LIMITS {
        let limit: Limit = text.parse().unwrap();
        let rows = simulate(text);
        assert_telling(&rows);
        let mode = if text.contains("wait") { Mode::Charge } else { Mode::Check };
        for row in rows {
            redis.set_clock(row.at);
            let key = StoreKey::new(format!("{text}:{}", row.caller).as_bytes());
            let decision = redis.decide(mode, &Request::new(key, limit, 1)).await;
            assert_eq!(shown(&decision), row.decided, "{text} at {}", row.at);
        }
    }
}
