//! Runs a schedule: one thread, one seed, paused time.

use crate::faults::cause;
use crate::history::{Happened, History};
use crate::process::{Process, key, with_count};
use crate::promises;
use crate::schedule::{CALLERS, Event, Fault, How, NAMES, Schedule};
use crate::shrink::shrink;
use crate::timeline;
use crate::world::World;
use ratelimit::{__testing, Algorithm, Decision, Error, Limit};
use std::fmt::Write;
use std::mem;
use std::time::Duration;
use tokio::runtime::{Builder, Handle};
use tokio::time::{Instant, sleep, sleep_until};

/// How long everything is healthy before the fleet is looked at. Calls wait at most 3 s, and hold permits for 4 s.
const QUIET: Duration = Duration::from_secs(15);

/// What a run has shown.
#[derive(Debug)]
pub struct Run {
    /// One line for each call, and what was found at the end. The same seed has the same log.
    pub log: String,
    /// The promises that were broken.
    pub broken: Vec<String>,
    /// How much time has passed in the simulation.
    pub simulated: Duration,
    /// How many calls were made.
    pub calls: usize,
    /// The run as an SVG file, if it is shown.
    pub timeline: Option<String>,
}

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
    /// The windows of each counter and caller, as the server has stored them.
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

/// Runs the schedule that belongs to a seed.
#[must_use]
pub fn run(seed: u64) -> Run {
    run_schedule(&Schedule::draw(seed), false)
}

/// Runs a seed whose log has all commands that the server executes.
#[must_use]
pub fn show(seed: u64) -> Run {
    run_schedule(&Schedule::draw(seed), true)
}

/// Shrinks a seed that breaks a promise, and runs what is left.
#[must_use]
pub fn show_shrunk(seed: u64) -> Option<Run> {
    shrink(seed).map(|schedule| run_schedule(&schedule, true))
}

pub(crate) fn run_schedule(schedule: &Schedule, shows: bool) -> Run {
    __testing::set_seed(Some(schedule.seed));
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.unwrap_or_else(|error| unreachable!("{error}"));
    let (mut happened, mut findings, simulated) = runtime.block_on(simulate(schedule, shows));
    drop(runtime);
    __testing::set_seed(None);
    happened.calls.sort_by_key(|record| record.step);
    happened.changes.sort_by_key(|changed| changed.step);
    let broken = promises::broken(schedule, &happened, &findings);
    let mut log = String::new();
    for limit in &schedule.limits {
        let _ = writeln!(log, "{limit}");
    }
    for (number, step) in schedule.steps.iter().enumerate() {
        if !matches!(step.event, Event::Call(_)) {
            let _ = writeln!(log, "{:>12} us step {number} {:?}", step.at.as_micros(), step.event);
        }
    }
    for changed in &happened.changes {
        let _ = writeln!(log, "{changed}");
    }
    for record in &happened.calls {
        let _ = writeln!(log, "{record}");
    }
    log.insert_str(0, &mem::take(&mut findings.commands));
    let _ = writeln!(log, "{findings:?}");
    let timeline = shows.then(|| timeline::draw(schedule, &happened, &broken).unwrap_or_default());
    Run { log, broken, simulated, calls: happened.calls.len(), timeline }
}

async fn simulate(schedule: &Schedule, shows: bool) -> (Happened, Findings, Duration) {
    let (world, start, history) = (World::create(schedule), Instant::now(), History::default());
    if shows {
        world.servers().iter().for_each(|server| server.show_commands());
    }
    let (mut fleet, mut newest) = (Vec::new(), schedule.limits.clone());
    for number in 0..schedule.processes {
        fleet.push(Process::start(&world, schedule, &newest, number));
    }
    let mut born = schedule.processes;
    for (number, step) in schedule.steps.iter().enumerate() {
        sleep_until(start + step.at).await;
        match &step.event {
            Event::Call(call) => {
                fleet[call.process].call(start, number, *call, &history);
            }
            Event::Fault(Fault::Kill(process)) => {
                let heir = Process::start(&world, schedule, &newest, born);
                born += 1;
                mem::replace(&mut fleet[*process], heir).kill();
            }
            Event::Fault(fault) => cause(&world, &fleet, *fault),
            Event::Change(change) => {
                if let How::Deploy(count) = change.how {
                    newest[change.limit] = with_count(&newest[change.limit], count);
                }
                fleet[change.process].change(start, number, *change, &history);
            }
            Event::Retire(process) => {
                let heir = Process::start(&world, schedule, &newest, born);
                born += 1;
                tokio::spawn(mem::replace(&mut fleet[*process], heir).close());
            }
            Event::Night(night) => {
                for process in mem::take(&mut fleet) {
                    process.close().await;
                }
                sleep(*night).await;
                for _ in 0..schedule.processes {
                    fleet.push(Process::start(&world, schedule, &newest, born));
                    born += 1;
                }
            }
        }
    }
    world.heal();
    sleep(QUIET).await;
    let findings = look(&world, schedule, fleet, born, start).await;
    let happened = mem::take(&mut *history.lock());
    (happened, findings, start.elapsed())
}

/// Looks at the fleet when all is quiet, and ends it.
async fn look(
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
        all.extend(server.shown().into_iter().map(|(moment, words)| (moment, at, words)));
    }
    all.sort_by_key(|(moment, ..)| *moment);
    let mut shown = String::new();
    for (moment, at, words) in all {
        let _ = writeln!(shown, "{:>12} us server {at} {words}", (moment - start).as_micros());
    }
    shown
}

fn overrides(world: &World, start: Instant) -> Vec<(Duration, usize, Option<u32>)> {
    let stored = world.servers().iter().flat_map(|server| server.overrides());
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
    let is_counter = |at: &usize| schedule.limits[*at].algorithm() == Algorithm::Counter;
    let mut windows = Vec::new();
    for at in (0..schedule.limits.len()).filter(is_counter) {
        for who in 0..CALLERS {
            if let Ok(key) = auditor.limiter.store_key(key(at, who), Algorithm::Counter) {
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
