//! Measures the health of the servers: their latency, and the work that they report.

use crate::doctor::{Facts, is_permission};
use crate::exit::Failure;
use crate::session::ask;
use ratelimit::store::RedisServer;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The number of stored latencies, one for each second.
const REMEMBERED: usize = 60;

/// The state of the servers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Health {
    /// The last latency and the longest latency within a minute, of the slowest server.
    pub(crate) latency: Duration,
    pub(crate) longest: Duration,
    pub(crate) work: Option<Work>,
    pub(crate) used_memory: u64,
    pub(crate) max_memory: u64,
}

/// The work of all servers within the last second.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    pub(crate) commands_per_second: f64,
    /// Script calls per second. A script call may contain several decisions, because services send calls that arrive together in
    /// one script call.
    pub(crate) scripts_per_second: f64,
    /// The time of one script call in the server, in microseconds.
    pub(crate) us_per_script: f64,
}

/// Counters of all servers: commands, script calls, and the microseconds of script calls.
type Counters = [f64; 3];

pub(crate) struct Watcher {
    servers: Vec<RedisServer>,
    latencies: VecDeque<Duration>,
    before: Option<(Instant, Counters)>,
    /// Whether the user may run `INFO`.
    permitted: bool,
    health: Health,
}

impl Watcher {
    pub(crate) fn new(servers: Vec<RedisServer>) -> Self {
        let latencies = VecDeque::with_capacity(REMEMBERED);
        Self { servers, latencies, before: None, permitted: true, health: Health::default() }
    }

    /// Replaces the servers.
    pub(crate) fn replace(&mut self, servers: &[RedisServer]) {
        self.servers = servers.to_vec();
        self.before = None;
    }

    pub(crate) fn health(&self) -> &Health {
        &self.health
    }

    /// Asks all servers for their latency and their work.
    pub(crate) async fn ask(&mut self) -> Result<(), Failure> {
        let mut slowest = Duration::ZERO;
        for server in &self.servers {
            let asked = Instant::now();
            ask(server, &redis::cmd("HELLO")).await?;
            slowest = slowest.max(asked.elapsed());
        }
        if self.latencies.len() == REMEMBERED {
            self.latencies.pop_front();
        }
        self.latencies.push_back(slowest);
        self.health.latency = slowest;
        self.health.longest = self.latencies.iter().copied().max().unwrap_or_default();
        if self.permitted { self.count().await } else { Ok(()) }
    }

    async fn count(&mut self) -> Result<(), Failure> {
        let (now, mut sum) = (Instant::now(), [0.0; 3]);
        (self.health.used_memory, self.health.max_memory) = (0, 0);
        for server in &self.servers {
            let facts = match Facts::of(server).await {
                Ok(Some(facts)) => facts,
                Ok(None) => {
                    self.permitted = false;
                    return Ok(());
                }
                Err(failure) if is_permission(&failure) => return Ok(()),
                Err(failure) => return Err(failure),
            };
            let of_server = counters(&facts);
            sum = std::array::from_fn(|at| sum[at] + of_server[at]);
            self.health.used_memory += facts.number("used_memory").unwrap_or(0);
            self.health.max_memory += facts.number("maxmemory").unwrap_or(0);
        }
        if let Some((then, before)) = self.before.replace((now, sum)) {
            self.health.work = Some(work(before, sum, now - then));
        }
        Ok(())
    }
}

fn counters(facts: &Facts) -> Counters {
    #[expect(clippy::cast_precision_loss, reason = "only differences matter")]
    let commands = facts.number("total_commands_processed").unwrap_or(0) as f64;
    let scripts = |part| {
        let of = |script| facts.part(script, part).unwrap_or(0.0);
        of("cmdstat_evalsha") + of("cmdstat_eval")
    };
    [commands, scripts("calls"), scripts("usec")]
}

/// The work between two readings of the counters.
fn work(before: Counters, now: Counters, time: Duration) -> Work {
    let seconds = time.as_secs_f64().max(0.001);
    let [commands, scripts, us] = std::array::from_fn(|at| (now[at] - before[at]).max(0.0));
    Work {
        commands_per_second: commands / seconds,
        scripts_per_second: scripts / seconds,
        us_per_script: us / scripts.max(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_a_difference() {
        let read = |commands: u32, scripts: u32, us: u32| {
            counters(&Facts::read(&format!(
                "total_commands_processed:{commands}\ncmdstat_evalsha:calls={scripts},usec={us}\n"
            )))
        };
        let work = work(read(100, 20, 300), read(300, 50, 900), Duration::from_secs(2));
        let numbers = [work.commands_per_second, work.scripts_per_second, work.us_per_script];
        assert!(
            numbers.iter().zip([100.0, 15.0, 20.0]).all(|(is, was)| (is - was).abs() < 1e-9),
            "{numbers:?}"
        );
    }
}
