//! Runs a schedule of one seed on one thread, with paused time.

use crate::faults::cause;
use crate::findings::{Findings, look};
use crate::history::{Happened, History};
use crate::process::{Process, with_count};
use crate::promises;
use crate::schedule::{Event, Fault, How, Schedule};
use crate::shrink::shrink;
use crate::world::World;
use ratelimit::__testing;
use std::fmt::Write;
use std::mem;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::time::{Instant, sleep, sleep_until};

/// The time between the end of all faults and the inspection of the fleet. Calls wait at most 3 s, and hold permits for 4 s.
const QUIET: Duration = Duration::from_secs(15);

/// Timers have whole milliseconds.
const MILLISECOND: Duration = Duration::from_millis(1);

/// The result of a run.
#[derive(Debug)]
pub struct Run {
    /// The log: one line for each call, and the findings at the end. Runs of the same seed have the same log.
    pub log: String,
    /// The promises that were broken.
    pub broken: Vec<String>,
    /// The time that has passed in the simulation.
    pub simulated: Duration,
    /// The number of calls.
    pub calls: usize,
}

/// Runs the schedule of a seed.
#[must_use]
pub fn run(seed: u64) -> Run {
    run_schedule(&Schedule::draw(seed), false)
}

/// Runs the schedule of a seed. Its log contains all commands that the servers execute.
#[must_use]
pub fn show(seed: u64) -> Run {
    run_schedule(&Schedule::draw(seed), true)
}

/// Shrinks the schedule of a seed, and runs the result. Returns `None` if the seed breaks no promise.
#[must_use]
pub fn show_shrunk(seed: u64) -> Option<Run> {
    shrink(seed).map(|schedule| run_schedule(&schedule, true))
}

pub(crate) fn run_schedule(schedule: &Schedule, shows: bool) -> Run {
    __testing::set_seed(Some(schedule.seed));
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.unwrap_or_else(|error| unreachable!("{error}"));
    let mut executed = schedule.clone();
    let (mut happened, mut findings, simulated) = runtime.block_on(simulate(&mut executed, shows));
    drop(runtime);
    __testing::set_seed(None);
    happened.calls.sort_by_key(|record| record.step);
    happened.changes.sort_by_key(|changed| changed.step);
    let broken = promises::broken(&executed, &happened, &findings);
    let mut log = String::new();
    let Schedule { layout, policy, deadline, .. } = schedule;
    let _ = writeln!(log, "{layout:?}, policy {policy:?}, deadline {} ms", deadline.as_millis());
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
    Run { log, broken, simulated, calls: happened.calls.len() }
}

/// Simulates the fleet. Notes in `executed` when the steps have begun, because a night or a freeze delays the next steps.
async fn simulate(executed: &mut Schedule, shows: bool) -> (Happened, Findings, Duration) {
    let schedule = &executed.clone();
    let (world, start, history) = (World::create(schedule), Instant::now(), History::default());
    if shows {
        world.servers().iter().for_each(|server| server.state().shown = Some(Vec::new()));
    }
    let (mut fleet, mut newest) = (Vec::new(), schedule.limits.clone());
    for number in 0..schedule.processes {
        fleet.push(Process::start(&world, schedule, &newest, number));
    }
    let mut born = schedule.processes;
    for (number, step) in schedule.steps.iter().enumerate() {
        sleep_until(start + step.at).await;
        if start.elapsed() > step.at + MILLISECOND {
            executed.steps[number].at = start.elapsed();
        }
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
