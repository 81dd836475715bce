//! Reports the smallest sequence of operations on which a store and the definition differ.

use crate::harness::Twins;
use crate::models::definitions::{Answer, Numbers};
use crate::models::random::operations::{Operation, Outcome, agree, by_definition, by_store};
use crate::models::random::shorten;
use std::fmt::Write;

#[derive(Clone, Copy, Debug)]
enum Which {
    Memory,
    Script,
}

/// Panics with the smallest sequence that shows the difference. `outcomes`: by the memory store, by the script, as
/// defined.
pub(crate) async fn report(
    twins: &mut Twins,
    numbers: Numbers,
    past: &[(u64, Vec<(usize, Operation)>)],
    outcomes: [&[Outcome]; 3],
) -> ! {
    let (_, last) = past.last().unwrap();
    let [memory, script, expected] = outcomes;
    let (which, differs) = if agree(&numbers, last, memory, expected) {
        (Which::Script, script)
    } else {
        (Which::Memory, memory)
    };
    let differ = |at: &usize| !agree(&numbers, &last[*at..=*at], &differs[*at..=*at], &expected[*at..=*at]);
    let at = (0..expected.len()).find(differ).unwrap();
    let (key, operation) = last[at];
    let operations =
        past.iter().flat_map(|(now, operations)| operations.iter().map(|operation| (*now, *operation)));
    let mut sequence: Vec<(u64, Operation)> =
        operations.filter(|(_, (of, _))| *of == key).map(|(now, (_, operation))| (now, operation)).collect();
    let mut message = format!(
        "{which:?} differs from the definition of {numbers:?}\nin a batch: {operation:?}\n  expected {:?}\n  but was  {:?}\n",
        expected[at], differs[at]
    );
    let fails_at =
        async |operations: &[(u64, Operation)]| Some(differs_at(twins, numbers, which, operations).await?.0);
    if shorten(&mut sequence, fails_at).await {
        explain(twins, numbers, &sequence, &mut message).await;
    } else {
        writeln!(message, "which shows only in a batch: {last:?}").unwrap();
    }
    panic!("{message}");
}

async fn explain(twins: &mut Twins, numbers: Numbers, sequence: &[(u64, Operation)], message: &mut String) {
    message.push_str("the smallest sequence:\n");
    let mut definition = numbers.definition();
    for (now, operation) in sequence {
        let outcome = by_definition(&mut *definition, *now, *operation);
        writeln!(message, "  at {now} µs {operation:?}\n      expected {outcome:?}").unwrap();
    }
    for which in [Which::Memory, Which::Script] {
        match differs_at(twins, numbers, which, sequence).await {
            Some((at, found)) => writeln!(message, "  {which:?}, operation {at}: {found:?}").unwrap(),
            None => writeln!(message, "  {which:?} agrees").unwrap(),
        }
    }
}

/// The first operation whose outcome differs from the definition, and that outcome.
async fn differs_at(
    twins: &mut Twins,
    numbers: Numbers,
    which: Which,
    sequence: &[(u64, Operation)],
) -> Option<(usize, Outcome)> {
    twins.clear();
    let (mut definition, limit) = (numbers.definition(), numbers.limit());
    let mut charged = Vec::new();
    for (at, (now, operation)) in sequence.iter().enumerate() {
        // The id of a permit is never used again, so there is no definition for it.
        if let Operation::Decide { permit, .. } = operation
            && charged.contains(permit)
        {
            return None;
        }
        twins.set_clock(*now);
        let found = match which {
            Which::Memory => by_store(&twins.memory, limit, &[(0, *operation)]).await.unwrap(),
            Which::Script => by_store(&twins.redis, limit, &[(0, *operation)]).await.unwrap(),
        };
        let expected = by_definition(&mut *definition, *now, *operation);
        if !agree(&numbers, &[(0, *operation)], &found, &[expected]) {
            return Some((at, found[0]));
        }
        if let (
            Outcome::Answer(Answer { allowed: true, .. }),
            Operation::Decide { permit: permit @ 2.., .. },
        ) = (expected, operation)
        {
            charged.push(*permit);
        }
    }
    None
}
