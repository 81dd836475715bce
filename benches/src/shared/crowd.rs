//! Many callers at once, and what their decisions cost.

use crate::cpu;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

/// One way to ask for decisions. Each caller has a copy.
pub(crate) trait Asker: Clone + Send + 'static {
    /// An error where the call is refused, or not decided.
    fn ask(&mut self, key: u64) -> impl Future<Output = Result<(), String>> + Send;
}

/// Who asks, for what, how long.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) callers: u64,
    pub(crate) keys: u64,
    pub(crate) time: Duration,
}

/// What was seen in one round.
pub(crate) struct Round {
    pub(crate) decisions: u64,
    pub(crate) seconds: f64,
    /// That the callers have computed.
    pub(crate) cpu_seconds: f64,
    /// How long the decision took that half of them were not slower than, and that 99 % were not.
    pub(crate) median_us: f64,
    pub(crate) slow_us: f64,
}

pub(crate) type Running<'s> = Pin<Box<dyn Future<Output = Result<Round, String>> + 's>>;

/// Whatever can be put under a load.
pub(crate) trait Crowd {
    fn round(&mut self, load: Load) -> Running<'_>;
}

impl<A: Asker> Crowd for A {
    fn round(&mut self, load: Load) -> Running<'_> {
        Box::pin(together(self.clone(), load))
    }
}

async fn together<A: Asker>(asker: A, load: Load) -> Result<Round, String> {
    let (cpu, start) = (cpu::process(), Instant::now());
    let running: Vec<_> =
        (0..load.callers).map(|caller| tokio::spawn(calls(asker.clone(), caller, load, start))).collect();
    let mut answers = Vec::new();
    for caller in running {
        answers.push(caller.await.map_err(|error| error.to_string())?);
    }
    let (seconds, cpu_seconds) = (start.elapsed().as_secs_f64(), cpu::process() - cpu);
    let mut times = answers.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    times.sort_unstable();
    let at =
        |part: usize| times.get(times.len() * part / 100).copied().map_or(f64::NAN, |ns| f64::from(ns) / 1e3);
    Ok(Round { decisions: times.len() as u64, seconds, cpu_seconds, median_us: at(50), slow_us: at(99) })
}

/// One caller, one call after another. How long each took, in ns.
async fn calls<A: Asker>(mut asker: A, caller: u64, load: Load, start: Instant) -> Result<Vec<u32>, String> {
    let mut times = Vec::new();
    let mut before = Instant::now();
    while before.duration_since(start) < load.time {
        // Visits the keys in no order, each about as often as any other.
        let visit = (caller * 1_000_003 + times.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        asker.ask(visit % load.keys).await?;
        let after = Instant::now();
        times.push(u32::try_from(after.duration_since(before).as_nanos()).unwrap_or(u32::MAX));
        // Calls that are answered at once must not keep the thread. Tokio's own budget of 128 would do, but limitador's
        // cached store, met by its end, waits with a lock in its hand, and all callers with it, for ever.
        if times.len() % 64 == 0 {
            tokio::task::yield_now().await;
        }
        before = after;
    }
    Ok(times)
}
