//! Runs a schedule: one thread, one seed, paused time.

use crate::history::Record;
use crate::process::{History, Process, key};
use crate::promises;
use crate::schedule::{CALLERS, Event, Fault, Schedule};
use crate::world::World;
use ratelimit::{__testing, Decision, Error, Limit};
use std::fmt::Write;
use std::mem;
use std::sync::PoisonError;
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
}

/// What was found after the run, when all was quiet.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// What a new process sees of each limit and caller: right after the end, and after the leases of all permits.
    pub(crate) seen: Vec<(usize, u8, Result<Decision, Error>)>,
    pub(crate) seen_later: Vec<(usize, u8, Result<Decision, Error>)>,
    /// Calls that still fail although everything is healthy.
    pub(crate) unavailable: Vec<String>,
    pub(crate) tasks: usize,
    pub(crate) connections: usize,
    /// How many commands the server has executed, and how many keys it has.
    pub(crate) sizes: (u64, usize),
}

/// Runs the schedule that belongs to a seed.
#[must_use]
pub fn run(seed: u64) -> Run {
    run_schedule(&Schedule::draw(seed))
}

pub(crate) fn run_schedule(schedule: &Schedule) -> Run {
    __testing::set_seed(Some(schedule.seed));
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.unwrap_or_else(|error| unreachable!("{error}"));
    let (mut history, findings, simulated) = runtime.block_on(simulate(schedule));
    drop(runtime);
    __testing::set_seed(None);
    history.sort_by_key(|record| record.step);
    let broken = promises::broken(schedule, &history, &findings);
    let mut log = String::new();
    for limit in &schedule.limits {
        let _ = writeln!(log, "{limit}");
    }
    for (number, step) in schedule.steps.iter().enumerate() {
        if let Event::Fault(fault) = &step.event {
            let _ = writeln!(log, "{:>12} us step {number} {fault:?}", step.at.as_micros());
        }
    }
    for record in &history {
        let _ = writeln!(log, "{record}");
    }
    let _ = writeln!(log, "{findings:?}");
    Run { log, broken, simulated, calls: history.len() }
}

async fn simulate(schedule: &Schedule) -> (Vec<Record>, Findings, Duration) {
    let (world, start, history) = (World::create(), Instant::now(), History::default());
    let mut fleet = Vec::new();
    for number in 0..schedule.processes {
        fleet.push(Process::start(&world, schedule, number));
    }
    let mut born = schedule.processes;
    for (number, step) in schedule.steps.iter().enumerate() {
        sleep_until(start + step.at).await;
        match &step.event {
            Event::Call(call) => {
                fleet[call.process].call(start, number, *call, schedule.limits[call.limit], &history);
            }
            Event::Fault(Fault::Kill(process)) => {
                let heir = Process::start(&world, schedule, born);
                born += 1;
                mem::replace(&mut fleet[*process], heir).kill();
            }
            Event::Fault(fault) => cause(&world, &fleet, *fault),
            Event::Night(night) => {
                for process in mem::take(&mut fleet) {
                    process.close().await;
                }
                sleep(*night).await;
                for _ in 0..schedule.processes {
                    fleet.push(Process::start(&world, schedule, born));
                    born += 1;
                }
            }
        }
    }
    world.heal();
    sleep(QUIET).await;
    let findings = look(&world, schedule, fleet, born).await;
    let records = mem::take(&mut *history.lock().unwrap_or_else(PoisonError::into_inner));
    (records, findings, start.elapsed())
}

fn cause(world: &std::sync::Arc<World>, fleet: &[Process], fault: Fault) {
    let server = &world.server;
    match fault {
        Fault::Link(process, fault) => fleet[process].link.add_fault(fault),
        Fault::Silence(process, time) => fleet[process].link.be_silent(time),
        Fault::Stall(time) => server.stall(time),
        Fault::Reject(trouble, time) => server.reject(trouble, time),
        Fault::ForgetScripts => server.forget_scripts(),
        Fault::Clock { micros } => server.step_clock(micros),
        Fault::Restart { down, keeps_keys } => {
            server.stop(keeps_keys);
            let server = std::sync::Arc::clone(server);
            tokio::spawn(async move {
                sleep(down).await;
                server.start_again();
            });
        }
        Fault::Kill(_) => {}
    }
}

/// Looks at the fleet when all is quiet, and ends it.
async fn look(world: &World, schedule: &Schedule, fleet: Vec<Process>, born: usize) -> Findings {
    let mut findings = Findings::default();
    for (number, process) in fleet.into_iter().enumerate() {
        for (at, limit) in schedule.limits.iter().enumerate() {
            if let Err(error) = process.limiter.peek(limit, key(at, 0)).await {
                findings.unavailable.push(format!("process {number}: {error}"));
            }
        }
        process.close().await;
    }
    let auditor = Process::start(world, schedule, born);
    findings.seen = see(&auditor, schedule).await;
    let leases = schedule.limits.iter().map(Limit::time).filter(|time| *time < Duration::from_secs(60));
    sleep(leases.max().unwrap_or_default() + Duration::from_secs(1)).await;
    findings.seen_later = see(&auditor, schedule).await;
    auditor.close().await;
    sleep(Duration::from_secs(60)).await;
    findings.tasks = Handle::current().metrics().num_alive_tasks();
    findings.sizes = world.server.sizes();
    findings.connections = world.server.open_connections();
    findings
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
