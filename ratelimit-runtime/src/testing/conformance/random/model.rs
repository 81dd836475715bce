//! `Model`: the outcomes of calls by the definitions.

use super::call::{Call, Place, Step};
use super::operations::{Operation, Outcome, by_definition};
use crate::store::Mode;
use crate::testing::conformance::definitions::{Answer, Definition, Numbers};
use std::collections::HashMap;
use std::ops::RangeInclusive;

#[derive(Default)]
pub(super) struct Model {
    /// The keys of a sequence, each with its last limit and the definition of this limit.
    keys: HashMap<Place, (Numbers, Box<dyn Definition>)>,
    /// The definition of a limit that refuses every request.
    nothing: Option<Box<dyn Definition>>,
}

impl Model {
    /// The outcomes of the groups of a call, in order. The time is in µs.
    pub(super) fn make(&mut self, now: u64, call: &Call) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for group in &call.groups {
            match &group[..] {
                [step] => outcomes.push(by_definition(self.of(step), now, step.operation)),
                stack => outcomes.extend(self.stack(now, stack).into_iter().map(Outcome::Answer)),
            }
        }
        outcomes
    }

    /// Judges all members of a stack, and charges them if all pass.
    fn stack(&mut self, now: u64, stack: &[Step]) -> Vec<Answer> {
        let mut decide = |charges: bool| -> Vec<Answer> {
            let answer = |step: &Step| match step.operation {
                Operation::Decide { mode, cost, keep, permit } if charges => {
                    self.of(step).decide_keeping(now, mode, cost, keep, permit)
                }
                Operation::Decide { mode, cost, keep, permit } => {
                    self.of(step).judge(now, mode, cost, keep, permit)
                }
                Operation::Adjust { .. } => unreachable!("a stack consists of requests"),
            };
            stack.iter().map(answer).collect()
        };
        let judged = decide(false);
        if judged.iter().all(|answer| answer.allowed) { decide(true) } else { judged }
    }

    /// Forgets keys. Returns how many of them had a state. If no unit of a key was in use, it is not determined whether the key
    /// had a state.
    pub(super) fn reset(&mut self, now: u64, keys: &[(Place, Numbers)]) -> RangeInclusive<u64> {
        let (mut least, mut most) = (0, 0);
        for (place, _) in keys {
            if let Some((numbers, definition)) = self.keys.get_mut(place) {
                most += 1;
                least += u64::from(definition.decide(now, Mode::Peek, 0, 1).reset_after > 0);
                *definition = numbers.after_resets(definition.generation() + 1);
            }
        }
        least..=most
    }

    /// The time in ms for which the callers of a key are blocked, or its limit is paused.
    pub(super) fn closed(&mut self, now: u64, step: &Step) -> u32 {
        if step.numbers.takes_block() { self.of(step).closed(now) } else { 0 }
    }

    /// While the `count` is zero, the key keeps its state.
    fn of(&mut self, Step { place, numbers, .. }: &Step) -> &mut dyn Definition {
        if numbers.count == 0 {
            return &mut **self.nothing.insert(numbers.definition());
        }
        let (known, definition) = self.keys.entry(*place).or_insert_with(|| (*numbers, numbers.definition()));
        if known != numbers {
            definition.change(*numbers);
            *known = *numbers;
        }
        &mut **definition
    }
}
