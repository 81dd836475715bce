//! Decisions per second through a private Redis, beside one plain EVALSHA per call by the same client.

use crate::table::Row;
use ratelimit::{Key, Limit, OnError, RateLimiter};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::RedisServer;

const CALLERS: [usize; 3] = [1, 64, 512];
const KEYS: u64 = 10_000;
const ROUND: Duration = Duration::from_millis(500);

/// What is compared with: the naive counter, its answer one integer.
const NAIVE: &str = "local n = redis.call('INCR', KEYS[1]) if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end return n";

#[derive(Clone, Copy)]
enum Subject {
    Naive,
    Check(Limit),
}

#[derive(Clone)]
struct Client {
    naive: Arc<redis::Script>,
    plain: redis::aio::MultiplexedConnection,
    limiter: RateLimiter,
}

impl Client {
    async fn call(&mut self, subject: Subject, n: u64) -> Result<(), String> {
        let key = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % KEYS;
        match subject {
            Subject::Naive => {
                let key = format!("naive:{{{key}}}:bench");
                let counted = self.naive.key(key).arg(3_600_000).invoke_async::<i64>(&mut self.plain).await;
                counted.map(|_| ()).map_err(|error| error.to_string())
            }
            Subject::Check(limit) => {
                let decision = self.limiter.check(&limit, Key::new("bench").by(key)).await;
                decision.map(|_| ()).map_err(|error| error.to_string())
            }
        }
    }
}

pub(crate) fn run(rounds: usize) -> Result<(), Box<dyn Error>> {
    let server = RedisServer::start();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(measure(&server, rounds))
}

async fn measure(server: &RedisServer, rounds: usize) -> Result<(), Box<dyn Error>> {
    let limiter =
        RateLimiter::builder().redis(server.url()).deadline(Duration::from_secs(10)).on_error(OnError::Deny);
    let client = Client {
        naive: Arc::new(redis::Script::new(NAIVE)),
        plain: redis::Client::open(server.url())?.get_multiplexed_async_connection().await?,
        limiter: limiter.build().await?,
    };
    let hour = Duration::from_secs(3600);
    let subjects = [
        ("plain EVALSHA of INCR + PEXPIRE", Subject::Naive),
        ("counter", Subject::Check(Limit::counter(1_000_000, hour))),
        ("token bucket", Subject::Check(Limit::token_bucket(1_000_000, hour))),
    ];
    println!("\nDecisions per second through Redis on this machine, {KEYS} keys, one connection\n");
    println!("  {:<34} {:>16} {:>16} {:>16}", "callers", CALLERS[0], CALLERS[1], CALLERS[2]);
    let mut rows: Vec<Vec<Row>> =
        subjects.iter().map(|(name, _)| CALLERS.map(|_| Row::new(*name)).into()).collect();
    for (at, callers) in CALLERS.into_iter().enumerate() {
        for _ in 0..rounds {
            for ((_, subject), row) in subjects.iter().zip(&mut rows) {
                row[at].figures.push(round(&client, *subject, callers).await?);
            }
        }
    }
    for row in &rows {
        let shown: Vec<String> = row.iter().map(|cell| format!("{:>16.0}", cell.median())).collect();
        println!("  {:<34} {}", row[0].subject, shown.join(" "));
        let spread = |cell: &Row| format!("({:.0}-{:.0})", cell.spread().0, cell.spread().1);
        let shown: Vec<String> = row.iter().map(|cell| format!("{:>16}", spread(cell))).collect();
        println!("  {:<34} {}", "", shown.join(" "));
    }
    Ok(())
}

/// Calls per second of so many callers at once.
async fn round(client: &Client, subject: Subject, callers: usize) -> Result<f64, String> {
    let start = Instant::now();
    let tasks: Vec<_> = (0..callers)
        .map(|caller| {
            let mut client = client.clone();
            tokio::spawn(async move {
                let mut calls = 0_u32;
                while start.elapsed() < ROUND {
                    client.call(subject, caller as u64 * 1_000_003 + u64::from(calls)).await?;
                    calls += 1;
                }
                Ok::<_, String>(calls)
            })
        })
        .collect();
    let mut calls = 0.0;
    for task in tasks {
        calls += f64::from(task.await.map_err(|error| error.to_string())??);
    }
    Ok(calls / start.elapsed().as_secs_f64())
}
