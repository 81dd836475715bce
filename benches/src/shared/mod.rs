//! The part `redis`: decisions through a private Redis. Measures their number per second, their CPU time on client and
//! server, and the time of one decision.

pub(crate) mod cluster;
pub(crate) mod load;
pub(crate) mod ours;
pub(crate) mod plain;
mod refused;
mod subject;

use crate::awake::Awake;
use crate::report::{Better, Bound, Table};
use crate::{Effort, Results, cpu, peers};
use ours::{BUCKET, COUNTER, LEASED, Ours, WINDOW};
use plain::{Call, Plain, Socket};
use ratelimit::RateLimiter;
use redis::Connection;
use std::error::Error;
use std::time::Duration;
use subject::{CPU, MEDIAN, PER_SECOND, table};
use support::RedisServer;

pub(crate) use cluster::run as run_cluster;
pub(crate) use subject::Subject;

const COUNTER_NAME: &str = "counter";
const BUCKET_NAME: &str = "token bucket";
const WINDOW_NAME: &str = "sliding window";
const LEASED_NAME: &str = "counter, leases of 100";
pub(crate) const FLEXIBLE: &str = "rate-limiter-flexible";
pub(crate) const LIMITADOR: &str = "limitador";
pub(crate) const CACHED: &str = "limitador, cached Redis store";
pub(crate) const ACTIX: &str = "actix-limitation";
pub(crate) const THROTTLED: &str = "throttled";
/// The time after which most keys have leased units in the process.
pub(crate) const WARM_UP: Duration = Duration::from_secs(1);
const PLAIN_COUNTER: &str = "counter by EVALSHA";
const PLAIN_BUCKET: &str = "token bucket by EVALSHA";
const PLAIN_WINDOW: &str = "sliding window by EVALSHA";

pub(crate) fn run(effort: &Effort) -> Result<Results, Box<dyn Error>> {
    let server = RedisServer::start();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut bench = runtime.block_on(Bench::open(server, effort))?;
    let mut tables = runtime.block_on(bench.tables())?;
    tables.push(refused::table(&bench.server.url(), effort)?);
    let context =
        format!("{}, on loopback, client and server share the cores.", cpu::server_name(&mut bench.control)?);
    Ok(Results { context, tables })
}

/// The server, and the values that all tables need.
struct Bench<'e> {
    server: RedisServer,
    control: Connection,
    limiter: RateLimiter,
    effort: &'e Effort,
}

impl<'e> Bench<'e> {
    async fn open(server: RedisServer, effort: &'e Effort) -> Result<Self, Box<dyn Error>> {
        let limiter = ours::limiter(&server.url()).await?;
        Ok(Self { control: server.raw(), limiter, server, effort })
    }

    async fn tables(&mut self) -> Result<Vec<Table>, Box<dyn Error>> {
        Ok(vec![
            self.many_keys().await?,
            self.some_callers().await?,
            self.hot_key().await?,
            self.alone().await?,
            self.leased().await?,
        ])
    }

    /// Returns our subjects, and the same scripts with one call per decision.
    async fn ours_and_plain(&mut self) -> Result<Vec<Subject>, Box<dyn Error>> {
        let connection = plain::quick_connection(&self.server.url()).await?;
        let plain = |call| Plain { connection: connection.clone(), call };
        Ok(vec![
            Subject::ours(COUNTER_NAME, Ours::new(&self.limiter, &COUNTER)),
            Subject::other(PLAIN_COUNTER, plain(Call::load(&mut self.control, &COUNTER, "plain")?)),
            Subject::ours(BUCKET_NAME, Ours::new(&self.limiter, &BUCKET)),
            Subject::other(PLAIN_BUCKET, plain(Call::load(&mut self.control, &BUCKET, "plain")?)),
        ])
    }

    async fn many_keys(&mut self) -> Result<Table, Box<dyn Error>> {
        let mut subjects = self.ours_and_plain().await?;
        let connection = plain::quick_connection(&self.server.url()).await?;
        let call = Call::load(&mut self.control, &WINDOW, "plain")?;
        subjects.push(Subject::ours(WINDOW_NAME, Ours::new(&self.limiter, &WINDOW)));
        subjects.push(Subject::other(PLAIN_WINDOW, Plain { connection, call }));
        let connection = plain::default_connection(&self.server.url()).await?;
        let call = Call::load(&mut self.control, &COUNTER, "default")?;
        subjects.push(Subject::other("counter by EVALSHA, as it comes", Plain { connection, call }));
        subjects.extend(peers::through_redis(&self.server.url(), &mut self.control).await?);
        let title = "512 callers, 10 000 keys";
        let mut table =
            table(title, (512, 10_000), subjects, std::slice::from_mut(&mut self.control), self.effort)
                .await?
                .draw(PER_SECOND, Better::More)
                .draw(CPU, Better::Less);
        for (ours, plain, cpu, per_second) in [
            (COUNTER_NAME, PLAIN_COUNTER, 0.34, 2.9),
            (BUCKET_NAME, PLAIN_BUCKET, 0.31, 2.7),
            (WINDOW_NAME, PLAIN_WINDOW, 0.36, 2.5),
        ] {
            table.goal(ours, plain, CPU, Bound::AtMost(cpu));
            table.goal(ours, plain, PER_SECOND, Bound::AtLeast(per_second));
        }
        for (ours, beside, ratio) in [
            (COUNTER_NAME, FLEXIBLE, 6.0),
            (COUNTER_NAME, LIMITADOR, 9.5),
            (COUNTER_NAME, ACTIX, 40.0),
            (BUCKET_NAME, THROTTLED, 3.0),
        ] {
            table.goal(ours, beside, PER_SECOND, Bound::AtLeast(ratio));
        }
        Ok(table)
    }

    async fn some_callers(&mut self) -> Result<Table, Box<dyn Error>> {
        let subjects = self.ours_and_plain().await?;
        let control = std::slice::from_mut(&mut self.control);
        table("64 callers, 10 000 keys", (64, 10_000), subjects, control, self.effort).await
    }

    async fn hot_key(&mut self) -> Result<Table, Box<dyn Error>> {
        let subjects = self.ours_and_plain().await?;
        let mut table = table(
            "1024 callers, one key",
            (1024, 1),
            subjects,
            std::slice::from_mut(&mut self.control),
            self.effort,
        )
        .await?
        .draw(PER_SECOND, Better::More);
        table.goal(COUNTER_NAME, PLAIN_COUNTER, PER_SECOND, Bound::AtLeast(8.0));
        table.goal(BUCKET_NAME, PLAIN_BUCKET, PER_SECOND, Bound::AtLeast(8.0));
        Ok(table)
    }

    async fn alone(&mut self) -> Result<Table, Box<dyn Error>> {
        const SOCKETS: [&str; 2] = ["counter by EVALSHA, socket", "token bucket by EVALSHA, socket"];
        let mut subjects = self.ours_and_plain().await?;
        for (name, limit) in SOCKETS.into_iter().zip([&COUNTER, &BUCKET]) {
            let call = Call::load(&mut self.control, limit, "socket")?;
            subjects.push(Subject::other(name, Socket::open(self.server.port(), call).await?));
        }
        let _awake = Awake::keep();
        let mut table = table(
            "One caller, 10 000 keys",
            (1, 10_000),
            subjects,
            std::slice::from_mut(&mut self.control),
            self.effort,
        )
        .await?
        .draw(MEDIAN, Better::Less);
        let ours = [(COUNTER_NAME, PLAIN_COUNTER, SOCKETS[0]), (BUCKET_NAME, PLAIN_BUCKET, SOCKETS[1])];
        for (ours, plain, socket) in ours {
            table.goal(ours, socket, MEDIAN, Bound::AtMost(1.15));
            table.goal(ours, plain, MEDIAN, Bound::AtMost(1.05));
        }
        Ok(table)
    }

    /// Measures decisions without the server: leased units, and cached counts of another crate.
    async fn leased(&mut self) -> Result<Table, Box<dyn Error>> {
        // The first calls of each key ask the store, until the key has a lease.
        let leased = Subject::ours(LEASED_NAME, Ours::new(&self.limiter, &LEASED));
        let mut subjects = vec![leased.with_pauses(WARM_UP, Duration::ZERO)];
        subjects.extend(peers::cached(&self.server.url()).await?);
        let title = "Decided in the process: 512 callers, 10 000 keys";
        let mut table =
            table(title, (512, 10_000), subjects, std::slice::from_mut(&mut self.control), self.effort)
                .await?
                .draw(PER_SECOND, Better::More);
        table.goal(LEASED_NAME, CACHED, PER_SECOND, Bound::AtLeast(18.0));
        Ok(table)
    }
}
