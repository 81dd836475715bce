//! What is found after a run, when all is quiet.

use crate::process::{Process, key};
use crate::schedule::{CALLERS, NAMES, Schedule};
use crate::world::World;
use ratelimit::{Algorithm, Decision, Error, Limit};
use std::fmt::Write;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

/// When a window begins and ends.
pub(crate) type Window = (Duration, Duration);

/// What was found after the run, when all was quiet.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// What a new process sees of each limit and caller: right after the end, and after the leases of all permits.
    pub(crate) seen: Vec<(usize, u8, Result<Decision, Error>)>,
    pub(crate) seen_later: Vec<(usize, u8, Result<Decision, Error>)>,
    /// Calls that still fail although everything is healthy.
    pub(crate) unavailable: Vec<String>,
    /// The windows of each counter, sliding window and caller, as the server has stored them: when they were stored, and their ends.
    pub(crate) windows: Vec<(usize, u8, Vec<Window>)>,
    /// The capacity of each limit as each process knows it.
    pub(crate) believed: Vec<(usize, usize, u32)>,
    /// How many keys of limits have no end.
    pub(crate) endless: usize,
    /// The commands that the server has executed, if they are shown.
    pub(crate) commands: String,
    pub(crate) tasks: usize,
    pub(crate) connections: usize,
    /// How many commands the servers have executed, and how many keys they have.
    pub(crate) sizes: (u64, usize),
    /// How many commands were redirected after each process had asked once while all was quiet.
    pub(crate) redirected: u64,
    /// Each override that a server has stored: its time, its limit, and its count unless it was removed.
    pub(crate) overrides: Vec<(Duration, usize, Option<u32>)>,
}

/// Looks at the fleet when all is quiet, and ends it.
pub(crate) async fn look(
    world: &World,
    schedule: &Schedule,
    fleet: Vec<Process>,
    born: usize,
    start: Instant,
) -> Findings {
    let mut findings = Findings::default();
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
    let permits = schedule.limits.iter().filter(|limit| limit.algorithm() == Algorithm::Concurrency);
    sleep(permits.map(Limit::time).max().unwrap_or_default() + Duration::from_secs(1)).await;
    findings.seen_later = see(&auditor, schedule).await;
    findings.windows = windows(world, schedule, &auditor);
    auditor.close().await;
    sleep(Duration::from_secs(60)).await;
    findings.tasks = Handle::current().metrics().num_alive_tasks();
    findings.overrides = overrides(world, start);
    let servers = world.servers();
    findings.commands = commands(world, start);
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

fn overrides(world: &World, start: Instant) -> Vec<(Duration, usize, Option<u32>)> {
    let stored = world.servers().iter().flat_map(|server| server.state().overrides.clone());
    let read = |(at, field, text): (Instant, Vec<u8>, Vec<u8>)| {
        let limit = NAMES.iter().position(|name| field == format!("name:{name}").as_bytes())?;
        let count = String::from_utf8(text).ok()?.strip_prefix("count=").and_then(|count| count.parse().ok());
        Some((at - start, limit, count))
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
