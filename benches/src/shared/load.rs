//! Puts load on a client: many callers at once. Measures the time and the CPU time of their decisions.

use crate::cpu;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

/// A client that makes decisions. Each caller has a clone.
pub(crate) trait Decider: Clone + Send + 'static {
    /// Decides about one call. Returns an error if the call is refused or cannot be decided.
    fn decide(&mut self, key: u64) -> impl Future<Output = Result<(), String>> + Send;
}

/// The number of callers and keys, and the length of a round.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) callers: u64,
    pub(crate) keys: u64,
    pub(crate) time: Duration,
}

/// The results of one round.
pub(crate) struct Round {
    pub(crate) decisions: u64,
    pub(crate) seconds: f64,
    /// The CPU time of the clients.
    pub(crate) cpu_seconds: f64,
    /// The median time of a decision.
    pub(crate) median_us: f64,
    /// The 99th percentile of the times of decisions.
    pub(crate) slow_us: f64,
}

pub(crate) type Running<'s> = Pin<Box<dyn Future<Output = Result<Round, String>> + 's>>;

/// A subject that can run a round under a load.
pub(crate) trait Measured {
    fn round(&mut self, load: Load) -> Running<'_>;
}

impl<C: Decider> Measured for C {
    fn round(&mut self, load: Load) -> Running<'_> {
        Box::pin(run_callers(self.clone(), load))
    }
}

/// Runs all callers at once.
async fn run_callers<C: Decider>(client: C, load: Load) -> Result<Round, String> {
    let (cpu, start) = (cpu::process(), Instant::now());
    let running: Vec<_> =
        (0..load.callers).map(|caller| tokio::spawn(calls(client.clone(), caller, load, start))).collect();
    let mut results = Vec::new();
    for caller in running {
        results.push(caller.await.map_err(|error| error.to_string())?);
    }
    let (seconds, cpu_seconds) = (start.elapsed().as_secs_f64(), cpu::process() - cpu);
    let mut times = results.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    times.sort_unstable();
    let at =
        |part: usize| times.get(times.len() * part / 100).copied().map_or(f64::NAN, |ns| f64::from(ns) / 1e3);
    Ok(Round { decisions: times.len() as u64, seconds, cpu_seconds, median_us: at(50), slow_us: at(99) })
}

/// Runs one caller, one call after another. Returns the time of each call in ns.
async fn calls<C: Decider>(
    mut client: C,
    caller: u64,
    load: Load,
    start: Instant,
) -> Result<Vec<u32>, String> {
    let mut times = Vec::new();
    let mut before = Instant::now();
    while before.duration_since(start) < load.time {
        // The order is pseudorandom, and all keys are about equally frequent.
        let visit = (caller * 1_000_003 + times.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        client.decide(visit % load.keys).await?;
        let after = Instant::now();
        times.push(u32::try_from(after.duration_since(before).as_nanos()).unwrap_or(u32::MAX));
        // Calls that are ready at once must not block the thread. Tokio's own budget of 128 operations would be enough, but
        // it may end inside limitador's cached store. That store then waits while it holds a lock, and all callers block
        // forever.
        if times.len() % 64 == 0 {
            tokio::task::yield_now().await;
        }
        before = after;
    }
    Ok(times)
}
