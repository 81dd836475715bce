//! Promise: calendar windows end at the boundaries of the calendar, for all processes alike. A process cannot know these
//! boundaries from its own clock, which is the machine's clock. The simulated servers have other clocks.

use super::{Case, TIMER};
use crate::history::{Outcome, Record};
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

pub(super) fn broken(case: &Case<'_>) -> Option<String> {
    case.limit.calendar_window()?;
    if case.steering().next().is_some() {
        return None; // the end of a block is stored like the end of a window
    }
    wrong_end(case).or_else(|| wrong_retry(case))
}

/// Returns the time from a moment of the servers' clocks until the window that contains it ends. `None` if the limit has no
/// calendar window.
fn until_end(case: &Case<'_>, moment: Duration) -> Option<Duration> {
    case.limit.until_window_ends(case.schedule.epoch + moment)
}

/// Finds a stored window that does not end at a boundary.
fn wrong_end(case: &Case<'_>) -> Option<String> {
    let mut ends = case.windows().iter().map(|(_, to)| *to);
    let wrong = ends.find(|to| until_end(case, to.saturating_sub(MS)) != Some(MS))?;
    Some(format!("a window ends at {} us, which is no boundary of the calendar", wrong.as_micros()))
}

/// Finds a refusal whose retry-after time is not the time until the end of the window. Skips refusals of the deny cache, which
/// come at once and count from an earlier reply.
fn wrong_retry(case: &Case<'_>) -> Option<String> {
    if case.schedule.is_disturbed() {
        return None;
    }
    let is_wrong = |record: &&Record| {
        let Outcome::Refused(Some(retry)) = record.outcome else { return false };
        let (Some(first), Some(last)) = (until_end(case, record.sent), until_end(case, record.ended)) else {
            return false;
        };
        let is_one_window =
            first > record.took() && !record.took().is_zero() && !super::kept::is_stack(record);
        is_one_window && !(last.saturating_sub(TIMER)..=first + TIMER).contains(&retry)
    };
    let wrong = case.certain().find(is_wrong)?;
    Some(format!("was not told the end of the window: {wrong}"))
}
