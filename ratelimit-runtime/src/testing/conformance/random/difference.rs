//! Describes in one sentence how the outcome of an operation differs from the definition.

use super::operations::{Operation, Outcome};
use crate::store::Change;

/// Returns a sentence that says how an outcome differs from the definition.
pub(super) fn difference(operation: Operation, found: Outcome, expected: Outcome) -> String {
    let (found, expected) = match (found, expected) {
        (Outcome::Answer(found), Outcome::Answer(expected)) => (found, expected),
        (Outcome::Units(found), Outcome::Units(expected)) => {
            let did = match operation {
                Operation::Adjust { change: Change::Give(_), .. } => "returned",
                Operation::Adjust { change: Change::Renew(_), .. } => "renewed",
                Operation::Adjust { change: Change::Block(_), .. } => "blocked",
                Operation::Adjust { change: Change::Open, .. } => "opened",
                _ => "took",
            };
            return format!("the store {did} {found} units by an adjustment, and {expected} are correct");
        }
        _ => return "the store replied to another question".to_owned(),
    };
    let ms = |time: Option<u64>| time.map_or_else(|| "never".to_owned(), |ms| format!("{ms} ms"));
    if found.allowed != expected.allowed {
        let (did, room) = if found.allowed { ("admitted", "no") } else { ("refused", "enough") };
        return format!("the store {did} a call, although the limit had {room} units left for it");
    }
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
