//! Promise: a refund returns the units of its charge as long as they are in use, and none afterwards.

use super::{Case, TIMER};
use crate::history::{Adjusted, Outcome, Record};
use crate::schedule::{Kind, Then};
use ratelimit::Algorithm;

pub(super) fn broken(case: &Case<'_>) -> Option<String> {
    let is_exact = case.schedule.changes(case.at) == 0
        && !case.schedule.is_disturbed()
        && !case.limit.is_queue()
        && case.limit.longest_wait().is_zero()
        && case.steering().next().is_none();
    let of_case = |record: &&Record| record.outcome == Outcome::Admitted;
    case.certain().filter(|_| is_exact).filter(of_case).find_map(|record| wrong(case, record))
}

/// Returns what is wrong with the number of units that a refund has returned.
fn wrong(case: &Case<'_>, record: &Record) -> Option<String> {
    let Kind::Charge { then: Then::Refund | Then::Later(_) } = record.call.kind else { return None };
    let (Adjusted::Gave(units), Some((sent, confirmed))) = (record.adjusted, record.adjusting) else {
        return None;
    };
    let in_use = match case.limit.algorithm() {
        Algorithm::SlidingLog => case.limit.time(),
        Algorithm::Concurrency => return None,
        _ => record.reset,
    };
    // A log may report units that it has removed although they no longer counted.
    let is_log = case.limit.algorithm() == Algorithm::SlidingLog;
    if units > 0 && !is_log && sent > record.ended + in_use + TIMER {
        return Some(format!("returned units that were no longer in use: {record}"));
    }
    let is_whole = matches!(case.limit.algorithm(), Algorithm::Counter | Algorithm::SlidingLog);
    let is_in_use = confirmed + TIMER < record.sent + in_use;
    (is_whole && is_in_use && units != record.call.cost)
        .then(|| format!("did not return units that were in use: {record}"))
}
