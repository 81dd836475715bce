//! Inspects the fleet after a run, when everything is healthy and all calls have ended.

use crate::process::{Process, key};
use crate::schedule::{CALLERS, NAMES, Schedule};
use crate::world::World;
use ratelimit::{Algorithm, Decision, Error, Limit};
use std::fmt::Write;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

/// The time at which a window was stored, and the time at which it ends.
pub(crate) type Window = (Duration, Duration);

/// The results of the inspection after a run.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// The decisions that a new process gets for each limit and caller: right after the run, and after the leases of all
    /// permits have ended.
    pub(crate) seen: Vec<(usize, u8, Result<Decision, Error>)>,
    pub(crate) seen_later: Vec<(usize, u8, Result<Decision, Error>)>,
    /// Calls that still fail although everything is healthy.
    pub(crate) unavailable: Vec<String>,
    /// The windows of each counter, sliding window and caller, as the server has stored them. Each window has the time at which
    /// it was stored, and its end.
    pub(crate) windows: Vec<(usize, u8, Vec<Window>)>,
    /// The number of a process, a limit, and the capacity of the limit in the view of that process.
    pub(crate) believed: Vec<(usize, usize, u32)>,
    /// The number of keys of limits that never expire.
    pub(crate) endless: usize,
    /// The commands that the server has executed, if they are shown.
    pub(crate) commands: String,
    pub(crate) tasks: usize,
    pub(crate) connections: usize,
    /// The number of commands that the servers have executed, and the number of their keys.
    pub(crate) sizes: (u64, usize),
    /// After the run, each process asks twice for each limit. This is the number of redirected commands of the second requests.
    pub(crate) redirected: u64,
    /// Each override that a server has stored.
    pub(crate) overrides: Vec<StoredOverride>,
    /// The faults of links that have happened: the number of the process, and the time.
    pub(crate) fired: Vec<(usize, Duration)>,
    /// The replies of scripts that differ from the definition of the algorithm.
    pub(crate) misjudged: Vec<String>,
    /// The time at which the inspection began.
    pub(crate) began: Duration,
}

/// An override that a server has stored: the time, the limit, the new count, and the time after which the override expires. The
/// count is `None` if the override was removed.
pub(crate) type StoredOverride = (Duration, usize, Option<u32>, Option<Duration>);

/// Inspects the fleet after the run, and ends its processes.
pub(crate) async fn look(
    world: &World,
    schedule: &Schedule,
    fleet: Vec<Process>,
    born: usize,
    start: Instant,
) -> Findings {
    let mut findings = Findings { began: start.elapsed(), fired: world.fired(start), ..Findings::default() };
    let redirected = || world.servers().iter().map(|server| server.sizes().1).sum::<u64>();
    for (number, process) in fleet.into_iter().enumerate() {
        for (at, limit) in schedule.limits.iter().enumerate() {
            match process.limiter.peek(limit, key(at, 0)).await {
                Ok(decision) => findings.believed.push((number, at, decision.capacity())),
                Err(error) => findings.unavailable.push(format!("process {number}: {error}")),
            }
            let before = redirected();
            let _ = process.limiter.peek(limit, key(at, 0)).await;
            findings.redirected += redirected() - before;
        }
        process.close().await;
    }
    let auditor = Process::start(world, schedule, &schedule.limits, born);
    findings.seen = see(&auditor, schedule).await;
    let permits = schedule.limits.iter().filter(|limit| limit.is_concurrency());
    sleep(permits.map(Limit::time).max().unwrap_or_default() + Duration::from_secs(1)).await;
    findings.seen_later = see(&auditor, schedule).await;
    findings.windows = windows(world, schedule, &auditor);
    auditor.close().await;
    sleep(Duration::from_secs(60)).await;
    findings.tasks = Handle::current().metrics().num_alive_tasks();
    findings.overrides = overrides(world, start);
    let servers = world.servers();
    findings.commands = commands(world, start);
    findings.misjudged = servers.iter().flat_map(|server| server.state().misjudged.clone()).collect();
    findings.endless = servers.iter().map(|server| server.endless()).sum();
    findings.connections = servers.iter().map(|server| server.open_connections()).sum();
    let sizes = servers.iter().map(|server| server.sizes());
    findings.sizes = sizes.fold((0, 0), |sum, (executed, _, keys)| (sum.0 + executed, sum.1 + keys));
    findings
}

/// The commands that the servers have executed, if they are shown.
fn commands(world: &World, start: Instant) -> String {
    let mut all: Vec<(Instant, usize, String)> = Vec::new();
    for (at, server) in world.servers().iter().enumerate() {
        let shown = server.state().shown.take().unwrap_or_default();
        all.extend(shown.into_iter().map(|(moment, words)| (moment, at, words)));
    }
    all.sort_by_key(|(moment, ..)| *moment);
    let mut shown = String::new();
    for (moment, at, words) in all {
        let _ = writeln!(shown, "{:>12} us server {at} {words}", (moment - start).as_micros());
    }
    shown
}

fn overrides(world: &World, start: Instant) -> Vec<StoredOverride> {
    let stored = world.servers().iter().flat_map(|server| server.state().overrides.clone());
    let read = |(at, field, text, expires): (Instant, Vec<u8>, Vec<u8>, _)| {
        let limit = NAMES.iter().position(|name| field == format!("name:{name}").as_bytes())?;
        let count = String::from_utf8(text).ok()?.strip_prefix("count=").and_then(|count| count.parse().ok());
        Some((at - start, limit, count, expires))
    };
    let mut stored: Vec<_> = stored.filter_map(read).collect();
    stored.sort_by_key(|(at, ..)| *at);
    stored
}

fn windows(world: &World, schedule: &Schedule, auditor: &Process) -> Vec<(usize, u8, Vec<Window>)> {
    let algorithm = |at: usize| schedule.limits[at].algorithm();
    let has_windows = |at: &usize| matches!(algorithm(*at), Algorithm::Counter | Algorithm::SlidingWindow);
    let mut windows = Vec::new();
    for at in (0..schedule.limits.len()).filter(has_windows) {
        for who in 0..CALLERS {
            if let Ok(key) = auditor.limiter.store_key(key(at, who), algorithm(at)) {
                let begun = world.servers().iter().flat_map(|server| server.begun(key.as_bytes()));
                windows.push((at, who, begun.collect()));
            }
        }
    }
    windows
}

async fn see(auditor: &Process, schedule: &Schedule) -> Vec<(usize, u8, Result<Decision, Error>)> {
    let mut seen = Vec::new();
    for (at, limit) in schedule.limits.iter().enumerate() {
        for who in 0..CALLERS {
            seen.push((at, who, auditor.limiter.peek(limit, key(at, who)).await));
        }
    }
    seen
}
