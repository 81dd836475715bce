//! Promises: a block by hand and a pause hold until their ends for all processes, and refusals name these ends.

use super::refused::REMEMBERED;
use super::{Case, TIMER, last_effect};
use crate::history::{Outcome, Record};
use crate::schedule::{Hand, Kind};
use std::time::Duration;

pub(super) fn broken(case: &Case<'_>) -> Option<String> {
    // A block by hand does not hold for units that a process has leased.
    if case.schedule.is_disturbed() || case.is_leased() {
        return None;
    }
    let closing = case.certain().filter_map(|record| Some((record, end(record)?)));
    closing.into_iter().find_map(|(closed, end)| {
        let mut later = case.certain().filter(|later| later.sent > closed.ended && later.call.cost > 0);
        later.find_map(|later| wrong(case, (closed, end), later))
    })
}

/// The earliest end of the block or the pause that an operation has certainly begun.
fn end(record: &Record) -> Option<Duration> {
    match record.call.kind {
        Kind::Hand(Hand::Block(time)) if record.is_done() => Some(record.sent + time),
        Kind::Pausing { time } if record.outcome == Outcome::Admitted => Some(record.sent + time),
        _ => None,
    }
}

/// Returns what is wrong with a call that came during a block or a pause.
fn wrong(case: &Case<'_>, (closed, end): (&Record, Duration), later: &Record) -> Option<String> {
    // Another process may remember an earlier refusal for a second.
    let may_remember = later.number != closed.number && later.sent < closed.ended + REMEMBERED + TIMER;
    if later.ended + TIMER >= end || is_replaced(case, closed, later) {
        return None;
    }
    let is_pause = !matches!(closed.call.kind, Kind::Hand(_));
    match later.outcome {
        Outcome::Admitted => Some(format!("admitted during a block: {closed} and then {later}")),
        Outcome::Refused(Some(retry)) if !is_pause && !may_remember && later.ended + retry + TIMER < end => {
            Some(format!("was told less than the end of the block: {closed} and then {later}"))
        }
        _ => None,
    }
}

/// Whether another operation may have ended or replaced the block before the call was decided. A pause never makes a block
/// shorter.
fn is_replaced(case: &Case<'_>, closed: &Record, later: &Record) -> bool {
    let may_open = |other: &Record| {
        let is_pause = matches!(other.call.kind, Kind::Pausing { .. });
        !is_pause && other.step != closed.step
    };
    case.steering()
        .any(|other| may_open(other) && other.sent <= later.ended && last_effect(other) >= closed.sent)
}
