//! Promise: with the failure policy *local*, a process without its store admits at most what the limit admits once more.

use super::Case;
use super::admitted::{counted, most};
use crate::history::{Outcome, Record};
use ratelimit::OnError;
use std::collections::BTreeSet;

pub(super) fn broken(case: &Case<'_>) -> Option<String> {
    if case.schedule.policy != OnError::Local || case.is_concurrency() || case.schedule.is_slow {
        return None;
    }
    let is_here = |record: &&Record| record.outcome == Outcome::Admitted && case.may_be_elsewhere(record);
    let admitted: Vec<&Record> = case.calls.iter().copied().filter(is_here).collect();
    let numbers: BTreeSet<usize> = admitted.iter().map(|record| record.number).collect();
    numbers.into_iter().find_map(|number| {
        let of_process = admitted.iter().copied().filter(|record| record.number == number);
        too_much(case, &of_process.collect::<Vec<_>>())
    })
}

/// Finds an interval in which one process has admitted more than the limit admits in the store and in the memory of the process.
fn too_much(case: &Case<'_>, admitted: &[&Record]) -> Option<String> {
    let limit = case.largest();
    admitted.iter().find_map(|first| {
        let later = admitted.iter().filter(|record| record.sent >= first.sent);
        let last = later.clone().map(|record| record.ended).max()?;
        let (units, most) = (
            later.map(|record| counted(record)).sum::<u64>(),
            most(case, &limit, first.sent, last).saturating_mul(2),
        );
        (units > most).then(|| {
            let (number, from) = (first.number, first.sent.as_micros());
            format!("process {number} admitted {units} units by itself from {from} us on, at most {most}")
        })
    })
}
