//! Describes in one sentence how the outcome of an operation differs from the definition.

use super::call::Step;
use super::operations::{Operation, Outcome};
use crate::store::Change;
use crate::testing::conformance::definitions::Answer;

/// A sentence that says how an outcome differs from the definition. `closed` is the time in ms for which the callers of the key
/// are blocked or its limit is paused, after the operation.
pub(super) fn difference(step: &Step, found: Outcome, expected: Outcome, closed: u32) -> String {
    let sentence = match (step.operation, found, expected) {
        (Operation::Decide { keep, .. }, Outcome::Answer(found), Outcome::Answer(expected)) => {
            decided(keep, found, expected)
        }
        (Operation::Adjust { change, .. }, Outcome::Units(found), Outcome::Units(expected)) => {
            adjusted(change, found, expected)
        }
        _ => "the store replied to another question".to_owned(),
    };
    if closed == 0 {
        return sentence;
    }
    format!("{sentence}; the key is blocked or paused for another {closed} ms")
}

fn adjusted(change: Change, found: u32, expected: u32) -> String {
    match change {
        Change::Give(_) => {
            format!("the store returned {found} units of a charge, and {expected} are correct")
        }
        Change::Take => format!("the store took {found} units without a check, and {expected} are correct"),
        Change::Used => format!("the store says that {found} units are in use, and {expected} are correct"),
        Change::Renew(_) => {
            format!("the store renewed {found} units of a permit, and {expected} are correct")
        }
        Change::Closed => {
            format!("the store said that a key is closed for {found} ms, and {expected} ms are correct")
        }
        Change::Block(_) | Change::Open | Change::Pause(_) => {
            format!(
                "the store replied with {found} to a block, a pause or its end, and {expected} is correct"
            )
        }
    }
}

fn decided(keep: u32, found: Answer, expected: Answer) -> String {
    if found.allowed != expected.allowed {
        let (did, room) = if found.allowed { ("admitted", "no") } else { ("refused", "enough") };
        let keep = if keep > 0 { format!(" and the {keep} that it leaves to others") } else { String::new() };
        return format!("the store {did} a call, although the limit had {room} units left for it{keep}");
    }
    let ms = |time: Option<u64>| time.map_or_else(|| "never".to_owned(), |ms| format!("{ms} ms"));
    let (what, found, expected) = if found.remaining != expected.remaining {
        ("remaining", found.remaining.to_string(), expected.remaining.to_string())
    } else if found.retry_after != expected.retry_after {
        ("retry_after", ms(found.retry_after), ms(expected.retry_after))
    } else if found.delay != expected.delay {
        ("delay", ms(Some(found.delay)), ms(Some(expected.delay)))
    } else if found.reset_after != expected.reset_after {
        ("reset_after", ms(Some(found.reset_after)), ms(Some(expected.reset_after)))
    } else if found.limit != expected.limit {
        ("capacity", found.limit.to_string(), expected.limit.to_string())
    } else {
        ("stamp", found.stamp.to_string(), expected.stamp.to_string())
    };
    format!("the store reported a `{what}` of {found}, and {expected} is correct")
}
