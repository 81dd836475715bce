//! Makes random operations on a store under test, and compares each outcome with the definition of the algorithm.

use super::charges::{Charges, with_stamps_of};
use super::difference::difference;
use super::operations::{Operation, Outcome, agree, answer, by_definition};
use super::shorten::shorten;
use super::traffic::{START, Traffic};
use crate::store::{Adjustment, Change, Mode, Request};
use crate::testing::conformance::ask::Ask;
use crate::testing::conformance::definitions::{Answer, Kind, Numbers};
use crate::testing::conformance::run::{Checked, Run, Setting, Stop};
use std::collections::HashMap;
use std::time::Duration;

pub(in super::super) const RULE: &str = "random operations have the outcome that the algorithm defines";

/// The limits of the random operations. Their periods are short, so that the clock of the store stays in this century.
pub(in super::super) const LIMITS: [Numbers; 22] = [
    Numbers::new(Kind::Counter, 5, 60_000),
    Numbers::new(Kind::Counter, 100, 10),
    Numbers::new(Kind::Counter, 3, 20).wait(100),
    Numbers::new(Kind::Greedy, 3, 1000),
    Numbers::new(Kind::Greedy, 7, 60_000).burst(10).borrow(3),
    Numbers::new(Kind::Greedy, 60, 7).burst(1),
    Numbers::new(Kind::Greedy, 300, 1000).burst(50).wait(700),
    Numbers::new(Kind::Interval, 5, 60_000).burst(20),
    Numbers::new(Kind::Interval, 2, 7).burst(9).borrow(3).wait(30),
    Numbers::new(Kind::Leaky, 7, 60_000).burst(10),
    Numbers::new(Kind::Leaky, 300, 1000).burst(50),
    Numbers::new(Kind::Leaky, 3, 1000).wait(2000),
    Numbers::new(Kind::Leaky, 60, 7).wait(50),
    Numbers::new(Kind::Window, 10, 1000),
    Numbers::new(Kind::Window, 300, 100),
    Numbers::new(Kind::Window, 5, 60_000).wait(100_000),
    Numbers::new(Kind::Log, 10, 1000),
    Numbers::new(Kind::Log, 300, 100),
    Numbers::new(Kind::Log, 5, 60).wait(100),
    Numbers::new(Kind::Concurrency, 10, 60_000),
    Numbers::new(Kind::Concurrency, 40, 1500),
    Numbers::new(Kind::Concurrency, 3, 1000).wait(2000),
];

/// A time in µs, the number of a key, and an operation on this key.
type Step = (u64, usize, Operation);

/// Makes random operations on one limit, and compares their outcomes with the definition.
pub(in super::super) async fn check<'s>(
    setting: &'s Setting<'s>,
    numbers: Numbers,
    operations: usize,
    seed: u64,
) -> Checked {
    let mut made = Made::new(setting, numbers);
    made.run.needs(&numbers.limit())?;
    made.run.needs_exact_clock()?;
    let (mut traffic, mut past) = (Traffic::new(numbers, seed), Vec::<Step>::new());
    while past.len() < operations {
        let (now, steps) = traffic.next();
        let steps = made.charges.determined(&numbers, &steps);
        if steps.is_empty() {
            continue;
        }
        let expected = traffic.expected(&steps);
        past.extend(steps.iter().map(|(key, operation)| (now, *key, *operation)));
        if !made.agrees(now, &steps, &expected).await {
            made.end().await;
            return Err(explain(setting, numbers, past).await);
        }
    }
    made.end().await;
    Ok(())
}

/// Shortens the failing sequence, makes its operations once more, and describes the failure.
async fn explain<'s>(setting: &'s Setting<'s>, numbers: Numbers, mut past: Vec<Step>) -> Stop {
    let whole = past.clone();
    let is_repeated = shorten(&mut past, async |steps| {
        let mut made = Made::new(setting, numbers);
        let difference = made.first_difference(steps).await;
        made.end().await;
        difference.map(|(at, _)| at)
    })
    .await;
    let steps = if is_repeated { past } else { whole };
    let mut made = Made::new(setting, numbers);
    let sentence = match made.first_difference(&steps).await {
        Some((_, sentence)) => sentence,
        None => "the store decided requests of one call otherwise than the same requests in several calls"
            .to_owned(),
    };
    made.end().await;
    made.run.fail(sentence)
}

/// A sequence of operations that are made on the store.
struct Made<'s> {
    run: Run<'s>,
    numbers: Numbers,
    now: u64,
    charges: Charges,
}

impl<'s> Made<'s> {
    fn new(setting: &'s Setting<'s>, numbers: Numbers) -> Self {
        Self { run: Run::new(setting), numbers, now: START, charges: Charges::default() }
    }

    async fn pass_to(&mut self, now: u64) {
        if now > self.now {
            self.run.pass(Duration::from_micros(now - self.now)).await;
        }
        self.now = now;
    }

    /// Ends the sequence. The next sequence begins at a whole millisecond.
    async fn end(&mut self) {
        self.pass_to(self.now.next_multiple_of(1000)).await;
    }

    /// Makes operations in one call. Returns whether their outcomes are as expected.
    async fn agrees(&mut self, now: u64, steps: &[(usize, Operation)], expected: &[Outcome]) -> bool {
        self.pass_to(now).await;
        match self.make(steps).await {
            Some(found) => {
                self.charges.remember(steps, &found, expected);
                agree(&self.numbers, steps, &with_stamps_of(&found, expected), expected)
            }
            None => false,
        }
    }

    /// Makes the operations one by one. Returns the index of the first operation that differs from the definition, and a
    /// sentence about the difference.
    async fn first_difference(&mut self, steps: &[Step]) -> Option<(usize, String)> {
        let mut definitions: HashMap<usize, _> = HashMap::new();
        for (at, &(now, key, operation)) in steps.iter().enumerate() {
            let one = self.charges.determined(&self.numbers, &[(key, operation)]);
            let &[(key, operation)] = &one[..] else { continue };
            let definition = definitions.entry(key).or_insert_with(|| self.numbers.definition());
            let expected = by_definition(&mut **definition, now, operation);
            self.pass_to(now).await;
            let found = self.make(&one).await;
            if let Some([found]) = found.as_deref() {
                self.note(key, operation, *found);
                self.charges.remember(&one, &[*found], &[expected]);
                let same = with_stamps_of(&[*found], &[expected]);
                if agree(&self.numbers, &one, &same, &[expected]) {
                    continue;
                }
                return Some((at, difference(operation, same[0], expected)));
            }
            return Some((at, "the store failed, or replied with a wrong number of outcomes".to_owned()));
        }
        None
    }

    /// Makes operations in one call: requests of one mode, or adjustments. `None` if the store fails or the number of outcomes
    /// is wrong.
    async fn make(&mut self, steps: &[(usize, Operation)]) -> Option<Vec<Outcome>> {
        let limit = self.numbers.limit();
        let (mut the_mode, mut requests, mut adjustments) = (Mode::Peek, Vec::new(), Vec::new());
        for &(key, step) in steps {
            let label = key.to_string();
            match step {
                Operation::Decide { mode, cost, keep, permit } => {
                    the_mode = mode;
                    let ask = Ask::new(&label, limit, cost).permit(permit).keep(keep);
                    requests.push(self.run.request(&ask));
                }
                Operation::Adjust { units, change } => {
                    let change = match change {
                        Change::Give(stamp) => Change::Give(self.charges.take(&self.numbers, key, stamp)?),
                        change => change,
                    };
                    adjustments.push(Adjustment::new(self.run.key(&label, &limit), limit, units, change));
                }
            }
        }
        let outcomes: Vec<Outcome> = if adjustments.is_empty() {
            let decided = self.run.store().decide(the_mode, &requests.iter().collect::<Vec<&Request>>());
            decided.await.ok()?.iter().map(|decision| Outcome::Answer(answer(decision))).collect()
        } else {
            self.run.store().adjust(&adjustments).await.ok()?.iter().copied().map(Outcome::Units).collect()
        };
        (outcomes.len() == steps.len()).then_some(outcomes)
    }

    fn note(&mut self, key: usize, operation: Operation, outcome: Outcome) {
        let what = match operation {
            Operation::Decide { mode, cost, keep, permit } => {
                let permit = if self.numbers.kind == Kind::Concurrency {
                    format!(" as permit {permit}")
                } else {
                    String::new()
                };
                let keep = if keep > 0 { format!(", keep {keep}") } else { String::new() };
                format!("{mode:?} {cost}{keep}{permit}")
            }
            Operation::Adjust { units, change } => format!("{change:?} {units}"),
        };
        match outcome {
            Outcome::Units(units) => self.run.note(format_args!("{what} under `{key}`: {units}")),
            Outcome::Answer(answer) => {
                let Answer { allowed, delay, remaining, retry_after, reset_after, .. } = answer;
                self.run.note(format_args!(
                    "{what} under `{key}`: allowed {allowed}, delay {delay} ms, {remaining} left, retry_after {retry_after:?} ms, \
                     reset_after {reset_after} ms"
                ));
            }
        }
    }
}
