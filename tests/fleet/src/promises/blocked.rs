//! Promises: a blocked caller stays refused until the end that its refusal named, and the next block is longer.

use super::refused::REMEMBERED;
use super::troubles::UNDER_WAY;
use super::{Case, TIMER, last_effect};
use crate::history::{Outcome, Record};
use crate::schedule::{Hand, Kind};
use std::time::Duration;

pub(super) fn broken(case: &Case<'_>) -> Option<String> {
    let is_exact =
        case.steps().is_some() && case.schedule.changes(case.at) == 0 && !case.schedule.is_disturbed();
    if !is_exact {
        return None;
    }
    let all = || case.certain();
    all()
        .filter_map(|record| too_early(case, record))
        .chain(all().filter_map(|record| no_longer(case, record)))
        .next()
}

/// Returns the retry-after time of a refusal, as the server has sent it. Blocks last longer than any other refusal, so this
/// time is the end of a block. `None` for all other calls, for stacks, for calls that a block by hand may refuse, and for refusals
/// of the deny cache. These come at once, and their time may be a little longer than the block.
fn told(case: &Case<'_>, record: &Record) -> Option<Duration> {
    let is_plain = is_alone(record)
        && !record.took().is_zero()
        && record.call.keep == 0
        && record.call.cost <= case.limit.capacity()
        && record.call.cost > 0
        && !may_be_blocked_by_hand(case, record);
    match record.outcome {
        Outcome::Refused(Some(time)) if is_plain => Some(time),
        _ => None,
    }
}

/// Whether the call has only this limit.
fn is_alone(record: &Record) -> bool {
    !record.call.kind.is_stack()
}

/// Finds a call that was admitted before the end of a block.
fn too_early(case: &Case<'_>, refused: &Record) -> Option<String> {
    let time = told(case, refused)?;
    let is_within = |other: &&Record| {
        let is_admitted = other.outcome == Outcome::Admitted && other.call.cost > 0;
        is_admitted
            && other.sent > refused.ended
            && other.ended + TIMER < refused.sent + time
            && !case.is_steered(refused.sent, other.ended)
    };
    let other = case.certain().find(is_within)?;
    Some(format!("admitted during a block: {refused} and then {other}"))
}

/// Finds a block that was followed by a block shorter than the second step.
fn no_longer(case: &Case<'_>, refused: &Record) -> Option<String> {
    let (second, (_, last)) = (case.limit.blocks().nth(1)?, case.steps()?);
    let Outcome::Refused(Some(time)) = refused.outcome else { return None };
    // This may be a refusal of the deny cache, whose time can be a little longer than the block. The block has ended at `ends`
    // in any case.
    let (ends, known_until) = (refused.ended + time, refused.sent + time + last / 2);
    let later = case.calls.iter().copied().filter(|later| later.sent > ends + TIMER && may_close(later));
    let next = later.min_by_key(|later| later.sent)?;
    let is_between = |other: &&&Record| {
        let is_other = other.step != next.step && other.step != refused.step;
        is_other && may_close(other) && other.sent <= next.ended && effect(other) >= refused.ended
    };
    let is_known = is_alone(refused)
        && refused.call.cost > 0
        && next.ended < known_until
        && refused.call.keep == 0
        && !may_be_blocked_by_hand(case, refused)
        // A process may repeat a refusal from before an operation by hand.
        && !case.is_steered(refused.sent.saturating_sub(REMEMBERED + TIMER), next.ended)
        && !case.may_be_elsewhere(next)
        && !case.calls.iter().any(|other| is_between(&other));
    let found = told(case, next).filter(|found| is_known && *found < second)?;
    Some(format!("blocked for {found:?} after {refused}: {next}"))
}

/// Whether a call may have begun a block.
fn may_close(record: &Record) -> bool {
    record.call.kind.is_call() && record.outcome != Outcome::Admitted
}

/// The time after which the call can no longer begin a block.
fn effect(record: &Record) -> Duration {
    if record.is_refused() { record.ended } else { record.ended + UNDER_WAY }
}

/// Whether a block of another call, or a block by hand, may explain the refusal.
pub(super) fn may_be_blocked(case: &Case<'_>, refused: &Record) -> bool {
    case.calls.iter().any(|other| {
        let time = match (other.call.kind, case.steps()) {
            (Kind::Hand(Hand::Block(time)), _) => time,
            (_, Some((_, last))) if other.step != refused.step && may_close(other) => last,
            _ => return false,
        };
        other.sent <= refused.ended
            && effect(other).max(last_effect(other)) + time + TIMER >= refused.sent
            && !is_over(case, other, refused)
    })
}

/// Whether a block by hand may explain the refusal.
pub(super) fn may_be_blocked_by_hand(case: &Case<'_>, refused: &Record) -> bool {
    case.steering().any(|other| match other.call.kind {
        Kind::Hand(Hand::Block(time)) => {
            other.sent <= refused.ended && last_effect(other) + time + TIMER >= refused.sent
        }
        _ => false,
    })
}

/// Whether a block of `other` had certainly been ended by hand before the refusal. The process that ends a block forgets its
/// refusals. Another process may remember a refusal for a second.
fn is_over(case: &Case<'_>, other: &Record, refused: &Record) -> bool {
    let ends = |record: &&Record| {
        matches!(record.call.kind, Kind::Hand(Hand::Unblock | Hand::Reset)) && record.is_done()
    };
    case.steering().filter(ends).any(|end| {
        let remembered = if end.number == refused.number { Duration::ZERO } else { REMEMBERED + TIMER };
        effect(other).max(last_effect(other)) < end.sent && end.ended + remembered < refused.sent
    })
}
