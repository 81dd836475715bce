//! `Player`: makes the calls of a sequence on the store, and compares the outcomes with the model.

use super::call::{Call, Place, Step, store_id};
use super::charges::Charges;
use super::difference::difference;
use super::model::Model;
use super::operations::{Operation, Outcome, agree, answer};
use crate::decision::Decision;
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::store::{Adjustment, Change, Mode, Request};
use crate::testing::conformance::ask::Ask;
use crate::testing::conformance::definitions::{Answer, Kind};
use crate::testing::conformance::run::{Run, Setting};
use std::time::Duration;

pub(super) struct Player<'s> {
    setting: &'s Setting<'s>,
    pub(super) run: Run<'s>,
    /// The time in µs since the sequence began.
    now: u64,
    model: Model,
    charges: Charges,
}

/// The first step at which the store differs from the model, and a sentence about the difference.
pub(super) struct Difference {
    pub(super) limit: Limit,
    pub(super) sentence: String,
}

impl<'s> Player<'s> {
    pub(super) fn new(setting: &'s Setting<'s>) -> Self {
        let (model, charges) = (Model::default(), Charges::default());
        Self { setting, run: Run::new(setting), now: 0, model, charges }
    }

    /// Makes calls until the store differs from the model. Returns the number of calls without a difference, and the difference.
    pub(super) async fn play_all(&mut self, calls: &[Call]) -> Option<(usize, Difference)> {
        for (at, call) in calls.iter().enumerate() {
            if let Err(difference) = self.play(call).await {
                return Some((at, difference));
            }
        }
        None
    }

    /// Ends the sequence. The next sequence begins at a whole millisecond.
    pub(super) async fn end(mut self) -> Run<'s> {
        self.pass_to(self.now.next_multiple_of(1000)).await;
        self.run
    }

    async fn pass_to(&mut self, now: u64) {
        if now > self.now {
            self.run.pass(Duration::from_micros(now - self.now)).await;
        }
        self.now = now;
    }

    /// Leaves out the operations whose outcomes are not determined.
    pub(super) fn determined(&mut self, call: &Call) -> Call {
        self.charges.determined(call)
    }

    /// Makes a call. Returns the operations with their outcomes by the model. If the outcomes of the store differ, returns the
    /// difference.
    pub(super) async fn play(&mut self, call: &Call) -> Result<(Vec<Step>, Vec<Outcome>), Difference> {
        self.pass_to(call.at).await;
        self.reset(call).await?;
        let call = self.determined(call);
        let steps = call.groups.concat();
        let Some(first) = steps.first() else { return Ok(Default::default()) };
        let expected = self.model.make(self.setting.now_us(), &call);
        let failed = |sentence| Difference { limit: first.numbers.limit(), sentence };
        let mut found = self.make(&call, &steps).await.map_err(failed)?;
        for ((step, found), expected) in steps.iter().zip(&mut found).zip(&expected) {
            self.charges.remember(step, found, expected);
            self.note(step, found);
            if !agree(&step.numbers, &[(0, step.operation)], &[*found], &[*expected]) {
                let closed = self.model.closed(self.setting.now_us(), step);
                let sentence = difference(step, *found, *expected, closed);
                return Err(Difference { limit: step.numbers.limit(), sentence });
            }
        }
        Ok((steps, expected))
    }

    async fn reset(&mut self, call: &Call) -> Result<(), Difference> {
        let Some((_, first)) = call.reset.first() else { return Ok(()) };
        let expected = self.model.reset(self.setting.now_us(), &call.reset);
        call.reset.iter().for_each(|(place, of)| self.charges.note_reset(*place, of, call.at));
        let keys: Vec<_> =
            call.reset.iter().map(|(place, numbers)| self.key(*place, &numbers.limit())).collect();
        let found = self.run.store().reset(&keys).await;
        let places =
            call.reset.iter().map(|((limit, key), _)| format!("`{limit}.{key}`")).collect::<Vec<_>>();
        self.run.note(format_args!("reset {}: {found:?}", places.join(", ")));
        let sentence = match found {
            Ok(found) if expected.contains(&found) => return Ok(()),
            Ok(found) => {
                format!(
                    "the store reset {found} keys that had a state, and between {} and {} are correct",
                    expected.start(),
                    expected.end()
                )
            }
            Err(error) => format!("the store failed: {error}"),
        };
        Err(Difference { limit: first.limit(), sentence })
    }

    fn key(&self, (limit, key): Place, of: &Limit) -> StoreKey {
        self.run.key(format!("{limit}.{key}"), of)
    }

    /// Makes the operations of a call on the store. Returns a sentence if the store fails, or if the number of outcomes is wrong.
    async fn make(&mut self, call: &Call, steps: &[Step]) -> Result<Vec<Outcome>, String> {
        let (mut the_mode, mut requests, mut adjustments) = (Mode::Peek, Vec::new(), Vec::new());
        for group in &call.groups {
            for (at, Step { place, numbers, operation }) in group.iter().enumerate() {
                let limit = numbers.limit();
                match *operation {
                    Operation::Decide { mode, cost, keep, permit } => {
                        the_mode = mode;
                        let label = format!("{}.{}", place.0, place.1);
                        let ask = Ask::new(&label, limit, cost).permit(store_id(permit)).keep(keep);
                        let joins = at + 1 < group.len();
                        requests.push(self.run.request(&if joins { ask.with_next() } else { ask }));
                    }
                    Operation::Adjust { units, change } => {
                        let change = match change {
                            Change::Give(id) if numbers.kind == Kind::Concurrency => {
                                Change::Give(store_id(id))
                            }
                            Change::Renew(id) => Change::Renew(store_id(id)),
                            // The stamp is known, because only determined calls are made.
                            Change::Give(stamp) => {
                                Change::Give(self.charges.take(*place, stamp).unwrap_or(stamp))
                            }
                            change => change,
                        };
                        adjustments.push(Adjustment::new(self.key(*place, &limit), limit, units, change));
                    }
                }
            }
        }
        let store = self.run.store();
        let outcomes: Result<Vec<Outcome>, _> = if adjustments.is_empty() {
            let decided = store.decide(the_mode, &requests.iter().collect::<Vec<&Request>>()).await;
            decided.map(|all| all.iter().zip(steps).map(|(one, step)| outcome(one, step)).collect())
        } else {
            store.adjust(&adjustments).await.map(|all| all.iter().copied().map(Outcome::Units).collect())
        };
        match outcomes {
            Ok(outcomes) if outcomes.len() == steps.len() => Ok(outcomes),
            Ok(_) => Err("the store replied with a wrong number of outcomes".to_owned()),
            Err(error) => Err(format!("the store failed: {error}")),
        }
    }

    fn note(&mut self, step: &Step, outcome: &Outcome) {
        match outcome {
            Outcome::Units(units) => self.run.note(format_args!("{step}: {units}")),
            Outcome::Answer(answer) => {
                let Answer { delay, remaining, retry_after, reset_after, stamp, .. } = answer;
                let outcome = match (answer.allowed, retry_after) {
                    (true, _) => format!("admitted after {delay} ms"),
                    (false, Some(ms)) => format!("refused for {ms} ms"),
                    (false, None) => "refused for ever".to_owned(),
                };
                let is_shown = *stamp > 0 && step.numbers.kind != Kind::Concurrency;
                let charge = if is_shown { format!(", as charge {stamp}") } else { String::new() };
                self.run.note(format_args!(
                    "{step}: {outcome}, {remaining} left, all free after {reset_after} ms{charge}"
                ));
            }
        }
    }
}

/// Converts a decision to an outcome. The right stamp of a permit becomes the id in the model.
fn outcome(decision: &Decision, step: &Step) -> Outcome {
    let mut answer = answer(decision);
    if let Operation::Decide { permit, .. } = step.operation
        && step.numbers.kind == Kind::Concurrency
        && answer.stamp == store_id(permit)
    {
        answer.stamp = permit;
    }
    Outcome::Answer(answer)
}
