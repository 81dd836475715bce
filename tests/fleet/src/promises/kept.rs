//! Promise: a call with `keep` is admitted only if the units that it leaves to others are free.

use super::Case;
use crate::history::{Outcome, Record};
use crate::promises::admitted::counted;
use ratelimit::Algorithm;

pub(super) fn broken(case: &Case<'_>) -> Option<String> {
    let is_exact = case.limit.longest_wait().is_zero()
        && case.steering().next().is_none()
        && case.schedule.changes(case.at) == 0
        && !case.schedule.is_disturbed();
    let mut keeps = case.certain().filter(|record| record.call.keep > 0 && is_admitted(record));
    keeps.find_map(|record| {
        let used = in_use(case, record);
        let needed = used + u64::from(record.call.cost) + u64::from(record.call.keep);
        (is_exact && needed > u64::from(case.limit.capacity()))
            .then(|| format!("left less to others, because {used} units were in use: {record}"))
    })
}

fn is_admitted(record: &Record) -> bool {
    record.outcome == Outcome::Admitted
}

pub(super) fn is_stack(record: &Record) -> bool {
    record.call.kind.is_stack()
}

/// The units that were certainly in use when the call was decided. 0 if the records do not show any.
fn in_use(case: &Case<'_>, decided: &Record) -> u64 {
    let before = case.certain().filter(|record| is_admitted(record) && record.ended < decided.sent);
    match case.limit.algorithm() {
        Algorithm::SlidingLog => {
            let counts = |record: &&Record| record.sent + case.limit.time() > decided.ended;
            before.filter(counts).map(counted).sum()
        }
        Algorithm::Concurrency if !case.schedule.cuts_off(case.limit.time()) => {
            let is_held = |record: &&Record| record.released.is_some_and(|released| released > decided.ended);
            before.filter(is_held).map(|record| u64::from(record.call.cost)).sum()
        }
        Algorithm::Counter if case.steps().is_none() => {
            let mut windows = case.windows().iter();
            let window = windows.find(|(from, to)| *from <= decided.sent && decided.ended < *to);
            let Some((from, _)) = window else { return 0 };
            before.filter(|record| record.sent >= *from).map(counted).sum()
        }
        _ => 0,
    }
}
