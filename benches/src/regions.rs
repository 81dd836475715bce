//! The part `regions`: two regions share a limit, and the server of one region is 80 ms away from the other region. Measures
//! how long the far region waits for decisions, and how many calls are admitted, for each way of sharing.

use crate::report::{Row, Table};
use crate::shared::{WARM_UP, ours};
use crate::{Effort, Results, cpu};
use ratelimit::{Key, Limit, RateLimiter, Rejection};
use std::error::Error;
use std::time::Duration;
use support::{Proxy, RedisServer, Traffic};
use tokio::time::{Instant, interval_at};

const ROUND_TRIP: Duration = Duration::from_millis(80);
/// The pause of a caller: each caller makes ten calls per second.
const PAUSE: Duration = Duration::from_millis(100);
const NEAR_CALLERS: u32 = 300;
const FAR_CALLERS: u32 = 100;
/// The length of a round. In this time, the callers make a fifth more calls than the limit admits.
const TIME: Duration = Duration::from_secs(12);
const COUNT: u32 = 40_000;
const LIMIT: Limit = Limit::counter(COUNT, Duration::from_secs(60));
const SHARE: Limit = Limit::counter(COUNT / 2, Duration::from_secs(60));

/// A way of sharing: the limiters of both regions, and the limit that each of them uses.
struct Way {
    name: &'static str,
    near: RateLimiter,
    far: RateLimiter,
    limit: Limit,
}

pub(crate) fn run(effort: &Effort) -> Result<Results, Box<dyn Error>> {
    let (home, other) = (RedisServer::start(), RedisServer::start());
    let distance = Proxy::start(home.port());
    distance.set(Traffic::DelayReplies(ROUND_TRIP));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let table = runtime.block_on(measure(&home.url(), &distance.url(), &other.url(), effort))?;
    let context = format!(
        "{}; a proxy delays its replies by 80 ms. One window of a minute for 40 000 calls; the near region makes 3000 calls per \
         second, the far one 1000, for 12 s. The times are those of admitted calls of the far region, after the first second.",
        cpu::server_name(&mut home.raw())?
    );
    Ok(Results { context, tables: vec![table] })
}

async fn measure(home: &str, distant: &str, other: &str, effort: &Effort) -> Result<Table, Box<dyn Error>> {
    let (near, far, own) =
        (ours::limiter(home).await?, ours::limiter(distant).await?, ours::limiter(other).await?);
    let way = |name, far: &RateLimiter, limit| Way { name, near: near.clone(), far: far.clone(), limit };
    let ways = [
        way("one server, asked for each call", &far, LIMIT),
        way("one server, with leases", &far, LIMIT.lease_auto()),
        way("a server and half of the limit for each region", &own, SHARE),
    ];
    let columns = ["calls admitted, of 40 000", "median time, µs", "99 % are faster than, µs", "slowest, µs"];
    let mut table = Table::new("Two regions, 80 ms apart", &columns);
    table.rows = ways.iter().map(|way| Row::new(way.name, true, columns.len())).collect();
    for round in 0..effort.rounds {
        for (way, row) in ways.iter().zip(&mut table.rows) {
            row.push(&way.round(u64::try_from(round)?).await?);
        }
    }
    Ok(table)
}

impl Way {
    /// Lets both regions make calls. Each round has its own key, and therefore a new window.
    async fn round(&self, round: u64) -> Result<[f64; 4], String> {
        let start = Instant::now();
        let region = |limiter: &RateLimiter, callers: u32| {
            let caller = |caller| Caller {
                limiter: limiter.clone(),
                limit: self.limit,
                key: (self.name, round),
                begin: start + PAUSE * caller / callers,
                end: start + TIME,
            };
            (0..callers).map(|number| tokio::spawn(caller(number).run())).collect::<Vec<_>>()
        };
        let (near, far) = (region(&self.near, NEAR_CALLERS), region(&self.far, FAR_CALLERS));
        let mut admitted = 0;
        for caller in near {
            admitted += caller.await.map_err(|error| error.to_string())??.len();
        }
        let mut times = Vec::new();
        for caller in far {
            times.extend(caller.await.map_err(|error| error.to_string())??);
        }
        admitted += times.len();
        if admitted > COUNT as usize {
            return Err(format!("{}: {admitted} calls passed, more than the limit", self.name));
        }
        let mut steady: Vec<_> =
            times.into_iter().filter(|(at, _)| *at > start + WARM_UP).map(|(_, took)| took).collect();
        steady.sort_unstable();
        let at = |part: usize| {
            let index = (steady.len() * part / 1000).min(steady.len().saturating_sub(1));
            steady.get(index).map_or(f64::NAN, |took| took.as_secs_f64() * 1e6)
        };
        #[expect(clippy::cast_precision_loss, reason = "at most 40 000")]
        let admitted = admitted as f64;
        Ok([admitted, at(500), at(990), at(1000)])
    }
}

/// One of many callers of a region.
struct Caller {
    limiter: RateLimiter,
    limit: Limit,
    key: (&'static str, u64),
    begin: Instant,
    end: Instant,
}

impl Caller {
    /// Makes calls until the end. Returns the start of each admitted call, and the time of its decision.
    async fn run(self) -> Result<Vec<(Instant, Duration)>, String> {
        let (mut turns, (way, round)) = (interval_at(self.begin, PAUSE), self.key);
        let mut admitted = Vec::new();
        loop {
            let turn = turns.tick().await;
            if turn > self.end {
                return Ok(admitted);
            }
            let before = std::time::Instant::now();
            match self.limiter.check(&self.limit, Key::new(way).by(round)).await {
                Ok(_) => admitted.push((turn, before.elapsed())),
                Err(Rejection::Limited(_)) => {}
                Err(rejection) => return Err(format!("{rejection:?}")),
            }
        }
    }
}
