//! Shrinks a failing schedule: removes faults, changes and calls while it still breaks the same promise.

use crate::run::run_schedule;
use crate::schedule::{Event, Schedule, Step};

/// The most runs for one seed. A run with few steps takes less than a millisecond.
const MOST_RUNS: usize = 1000;

/// Returns the shrunk schedule of a seed, or `None` if the seed breaks no promise.
pub(crate) fn shrink(seed: u64) -> Option<Schedule> {
    let mut schedule = Schedule::draw(seed);
    let kind = broken(&schedule)?;
    let mut runs = 0;
    // Removes faults before calls, because the remaining faults explain the failure.
    for may_remove in [is_event, is_call] {
        let mut size = schedule.steps.len().div_ceil(2).max(1);
        loop {
            let is_smaller = remove_chunks(&mut schedule, size, may_remove, &kind, &mut runs);
            if runs >= MOST_RUNS || size == 1 && !is_smaller {
                break;
            }
            size = size.div_ceil(2).max(1);
        }
    }
    Some(schedule)
}

fn is_event(step: &Step) -> bool {
    !is_call(step)
}

fn is_call(step: &Step) -> bool {
    matches!(step.event, Event::Call(_))
}

/// Removes all chunks of this size that the failure does not need. Returns whether it removed a chunk.
fn remove_chunks(
    schedule: &mut Schedule,
    size: usize,
    may_remove: fn(&Step) -> bool,
    kind: &str,
    runs: &mut usize,
) -> bool {
    let (mut first, mut is_smaller) = (0, false);
    while *runs < MOST_RUNS {
        let removable: Vec<usize> = (0..schedule.steps.len())
            .filter(|at| may_remove(&schedule.steps[*at]))
            .skip(first)
            .take(size)
            .collect();
        if removable.is_empty() {
            break;
        }
        let mut smaller = schedule.clone();
        let mut at = 0..;
        smaller.steps.retain(|_| at.next().is_none_or(|at| !removable.contains(&at)));
        *runs += 1;
        if broken(&smaller).as_deref() == Some(kind) {
            (*schedule, is_smaller) = (smaller, true);
        } else {
            first += size;
        }
    }
    is_smaller
}

/// The first promise that the schedule breaks, as text without numbers.
fn broken(schedule: &Schedule) -> Option<String> {
    let run = run_schedule(schedule, false);
    Some(run.broken.first()?.chars().filter(|c| c.is_alphabetic() || *c == ' ').take(24).collect())
}
