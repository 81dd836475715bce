//! Reports the shortest sequence of calls on which a store and the definition differ.

use crate::harness::Twins;
use crate::models::definitions::{Answer, Numbers};
use crate::models::random::operations::{By, Call, Operation, Outcome, agree, by_definition};
use crate::models::random::shorten;
use std::collections::{HashMap, HashSet};

pub(crate) async fn report(twins: &mut Twins, numbers: &Numbers, by: By, mut past: Vec<Call>) -> String {
    // Prefers calls with one operation each if they also show the difference, because they are easier to read.
    let alone = past.iter().flat_map(|(now, steps)| steps.iter().map(|step| (*now, vec![*step])));
    let mut alone: Vec<Call> = alone.collect();
    let is_at = async |calls: &[Call]| Some(difference(twins, numbers, by, calls).await?.0);
    if shorten(&mut alone, is_at).await {
        past = alone;
    } else {
        shorten(&mut past, async |calls| Some(difference(twins, numbers, by, calls).await?.0)).await;
    }
    let (_, last) = difference(twins, numbers, by, &past).await.unwrap_or((0, "only once".to_owned()));
    let calls: Vec<String> = past.iter().map(|(now, steps)| format!("  at {now} µs {steps:?}")).collect();
    format!("{by:?} differs from the definition of {numbers:?} after\n{}\n{last}", calls.join("\n"))
}

/// Clears both stores and makes the calls. Returns the index of the first call that differs from the definition, and its
/// outcomes.
async fn difference(twins: &mut Twins, numbers: &Numbers, by: By, calls: &[Call]) -> Option<(usize, String)> {
    twins.clear();
    let (mut definitions, mut charged) = (HashMap::new(), HashSet::new());
    for (at, (now, steps)) in calls.iter().enumerate() {
        let mut expected = Vec::new();
        for (key, operation) in steps {
            let definition = definitions.entry(*key).or_insert_with(|| numbers.definition());
            let outcome = by_definition(&mut **definition, *now, *operation);
            expected.push(outcome);
            // The id of a permit must not be used again, because the definition does not cover that.
            if let Operation::Decide { permit: permit @ 2.., .. } = operation {
                let is_allowed = matches!(outcome, Outcome::Answer(Answer { allowed: true, .. }));
                if charged.contains(permit) || is_allowed && !charged.insert(*permit) {
                    return None;
                }
            }
        }
        let found = by.make(twins, *now, numbers, steps).await;
        if !found.as_ref().is_some_and(|found| agree(numbers, steps, found, &expected)) {
            return Some((at, format!("found    {found:?}\nexpected {expected:?}")));
        }
    }
    None
}
