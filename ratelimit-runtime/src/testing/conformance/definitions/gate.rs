//! What surrounds an algorithm whose state is a number. Blocks: a refused caller stays refused for a step, and after the next
//! refusal, the next step applies. Resets: the units of a charge from before a reset are not returned.

use super::{Answer, Definition, Numbers};
use crate::store::Mode;

/// A limit that blocks and that can be reset. Times are in ms.
#[derive(Debug)]
pub(super) struct Gate {
    inner: Box<dyn Definition>,
    /// The steps of a block. Empty if the limit does not block.
    steps: Vec<u64>,
    /// The number of consecutive blocks so far.
    earlier: usize,
    /// The end of the block or the pause.
    end: u64,
    /// Whether the gate is a pause, for whose end callers may wait.
    is_pause: bool,
    /// The time from which on the steps start over.
    forgotten: u64,
    /// The number of resets before this state.
    generation: u64,
}

/// The stamp of a charge is this times the generation, plus the stamp of the algorithm.
const GENERATION: u64 = 1 << 47;

impl Gate {
    pub(super) fn new(numbers: &Numbers, inner: Box<dyn Definition>, generation: u64) -> Self {
        Self { inner, steps: steps(numbers), earlier: 0, end: 0, is_pause: false, forgotten: 0, generation }
    }

    fn pass_to(&mut self, ms: u64) {
        if ms >= self.forgotten {
            self.earlier = 0;
        }
    }
}

/// Adds the generation to the stamp of a charge.
fn stamped(answer: Answer, generation: u64) -> Answer {
    let first = if answer.stamp > 0 { generation * GENERATION } else { 0 };
    Answer { stamp: first + answer.stamp, ..answer }
}

fn steps(numbers: &Numbers) -> Vec<u64> {
    numbers.block.into_iter().filter(|step| *step > 0).collect()
}

/// Converts a decision to the decision about a blocked caller: nothing is free before the end of the block.
fn blocked(answer: Answer, left: u64) -> Answer {
    let never = !answer.allowed && answer.retry_after.is_none();
    Answer {
        allowed: false,
        delay: 0,
        remaining: 0,
        retry_after: (!never).then(|| answer.retry_after.unwrap_or(0).max(answer.delay).max(left)),
        reset_after: answer.reset_after.max(left),
        stamp: 0,
        ..answer
    }
}

impl Definition for Gate {
    fn decide_keeping(&mut self, now: u64, mode: Mode, cost: u32, keep: u32, id: u64) -> Answer {
        let ms = now / 1000;
        self.pass_to(ms);
        if ms < self.end {
            let left = self.end - ms;
            if self.is_pause && mode == Mode::Charge {
                let answer = self.inner.decide_after(now, mode, cost, keep, left);
                let answer = stamped(answer, self.generation);
                let reset_after = answer.reset_after.max(left);
                return if answer.allowed {
                    Answer { remaining: 0, reset_after, ..answer }
                } else {
                    blocked(answer, left)
                };
            }
            let answer = self.inner.decide_keeping(now, Mode::Peek, cost, keep, id);
            return blocked(answer, left);
        }
        let answer = stamped(self.inner.decide_keeping(now, mode, cost, keep, id), self.generation);
        let refused = !answer.allowed && answer.retry_after.is_some();
        let Some(last) = self.steps.last().filter(|_| refused && cost > 0 && keep == 0 && mode != Mode::Peek)
        else {
            return answer;
        };
        let step = *self.steps.get(self.earlier).unwrap_or(last);
        (self.end, self.is_pause, self.forgotten) = (ms + step, false, ms + step + last);
        self.earlier += 1;
        blocked(answer, step)
    }

    fn give(&mut self, now: u64, units: u32, stamp: u64) -> u32 {
        if stamp / GENERATION != self.generation {
            return 0;
        }
        self.inner.give(now, units, stamp % GENERATION)
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn take(&mut self, now: u64, units: u32) -> u32 {
        self.inner.take(now, units)
    }

    fn used(&mut self, now: u64) -> u32 {
        self.inner.used(now)
    }

    fn block(&mut self, now: u64, ms: u64) -> u32 {
        self.pass_to(now / 1000);
        (self.end, self.is_pause) = (now / 1000 + ms, false);
        self.forgotten = self.forgotten.max(self.end);
        1
    }

    fn pause(&mut self, now: u64, ms: u64) -> u32 {
        self.pass_to(now / 1000);
        let left = self.end.saturating_sub(now / 1000);
        self.is_pause |= left < ms;
        self.end = now / 1000 + left.max(ms);
        self.forgotten = self.forgotten.max(self.end);
        self.inner.use_up(now, left.max(ms));
        1
    }

    fn closed(&mut self, now: u64) -> u32 {
        u32::try_from(self.end.saturating_sub(now / 1000)).unwrap_or(u32::MAX)
    }

    fn open(&mut self, now: u64) -> u32 {
        let was_blocked = now / 1000 < self.end;
        (self.end, self.forgotten) = (0, 0);
        u32::from(was_blocked)
    }

    /// A block that has begun keeps its end.
    fn change(&mut self, numbers: Numbers) {
        self.steps = steps(&numbers);
        self.inner.change(numbers);
    }

    fn copy(&self) -> Box<dyn Definition> {
        Box::new(Self { inner: self.inner.copy(), steps: self.steps.clone(), ..*self })
    }
}
