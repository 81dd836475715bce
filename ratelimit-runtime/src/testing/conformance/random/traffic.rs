//! Random traffic on a few keys of one limit, and its outcomes by the definition.

use super::operations::{Operation, Outcome, by_definition};
use crate::store::{Change, Mode};
use crate::testing::conformance::definitions::{Definition, Kind, Numbers};

pub(super) const KEYS: usize = 6;
const LONGEST_MS: u64 = 366 * 86_400_000;
/// The time at which traffic begins, in µs.
pub const START: u64 = 1_763_000_000_000_000;

/// Returns a random limit. Its time is between 1 ms and 366 days, of any order of magnitude.
pub fn any_numbers(random: &mut fastrand::Rng, kind: Kind) -> Numbers {
    let time = 1 + (random.u64(0..LONGEST_MS) >> random.u32(0..35));
    let time = if kind == Kind::Concurrency { time.max(1000) } else { time };
    let (count, burst) =
        (random.choice([1, 2, 5, 12, 300]).unwrap(), random.choice([1, 3, 10, 400]).unwrap());
    let mut numbers = Numbers::new(kind, count, time);
    let is_bucket = matches!(kind, Kind::Greedy | Kind::Interval | Kind::Leaky);
    if is_bucket && u64::from(burst) * time <= LONGEST_MS * u64::from(count) {
        numbers = numbers.burst(burst);
    }
    // The wait is at most the time of 1000 units, so that all products are exact.
    let longest_wait = (1000 * time / u64::from(count)).min(LONGEST_MS);
    let wait = random.choice([0, 0, 1, 20, time / 3, 2 * time, longest_wait]).unwrap();
    let block = random.choice([[0; 3], [0; 3], [1000, 0, 0], [2000, 60_000, 3_600_000]]).unwrap();
    let numbers = numbers.wait(wait.min(longest_wait));
    if numbers.takes_block() { numbers.block(block) } else { numbers }
}

/// A charge that can be returned, or a permit.
#[derive(Clone, Copy)]
struct Charge {
    key: usize,
    cost: u32,
    keep: u32,
    stamp: u64,
}

pub struct Traffic {
    numbers: Numbers,
    random: fastrand::Rng,
    definitions: Vec<Box<dyn Definition>>,
    /// The current time in µs.
    now: u64,
    /// Recent charges.
    charges: Vec<Charge>,
    /// Requests that wait for a permit. Their stamp is the id of the permit.
    waiting: Vec<Charge>,
    permits: u64,
    /// Times at which something changes according to earlier decisions, in µs.
    named: Vec<u64>,
}

impl Traffic {
    pub fn new(numbers: Numbers, seed: u64) -> Self {
        Self {
            numbers,
            random: fastrand::Rng::with_seed(seed),
            definitions: (0..KEYS).map(|_| numbers.definition()).collect(),
            now: START,
            charges: Vec::new(),
            waiting: Vec::new(),
            permits: 1,
            named: Vec::new(),
        }
    }

    /// Whether the traffic can go on. It ends in the year 2255, because Lua cannot represent times above 2^53 µs exactly.
    pub fn goes_on(&self) -> bool {
        self.now < (1 << 53) - 20 * (self.numbers.time + self.numbers.wait) * 1000
    }

    /// Returns the next time in µs, and the operations at this time, which belong into one call of the store.
    pub fn next(&mut self) -> (u64, Vec<(usize, Operation)>) {
        // About one of three batches has a single request, so that the script for single requests runs too.
        let alone = self.random.u32(0..3) == 0;
        if !alone || self.random.bool() {
            self.pass();
        }
        let steps = if alone { 1 } else { self.random.usize(1..=30) };
        let mode = match self.random.u32(0..20) {
            0 | 1 => Some(Mode::Peek),
            2..=7 => Some(Mode::Check),
            8..=15 => Some(Mode::Charge),
            _ => None,
        };
        let steps = (0..steps)
            .map(|_| match mode {
                Some(mode) => self.request(mode),
                None => self.adjustment(),
            })
            .collect();
        (self.now, steps)
    }

    /// Like [`next`](Self::next), but with a single operation, usually a request for which a script for single requests exists.
    pub fn next_alone(&mut self) -> (u64, Vec<(usize, Operation)>) {
        if self.random.u32(0..6) == 0 {
            self.pass();
        }
        let alone = match self.random.u32(0..8) {
            0 => self.adjustment(),
            1 | 2 => self.request(Mode::Charge),
            _ => self.request(Mode::Check),
        };
        (self.now, vec![alone])
    }

    /// Returns the outcomes by the definition, in order.
    pub fn expected(&mut self, steps: &[(usize, Operation)]) -> Vec<Outcome> {
        steps
            .iter()
            .map(|&(key, step)| {
                let outcome = by_definition(&mut *self.definitions[key], self.now, step);
                self.note(key, step, outcome);
                outcome
            })
            .collect()
    }

    /// The numbers of the limit.
    pub(super) const fn numbers(&self) -> Numbers {
        self.numbers
    }

    /// Continues with other numbers of the same algorithm. Charges under the earlier numbers are not returned.
    pub(super) fn change(&mut self, numbers: Numbers) {
        self.numbers = numbers;
        if numbers.kind != Kind::Concurrency {
            self.charges.clear();
        }
    }

    /// Forgets the permits and the tickets, because the keys were reset. Other charges are still returned: in vain.
    pub(super) fn forget(&mut self) {
        if !self.numbers.takes_block() {
            self.charges.clear();
        }
        self.waiting.clear();
    }

    /// Sets the time, and returns a later time at which traffic goes on.
    pub(super) fn later(&mut self, now: u64) -> u64 {
        self.now = now;
        self.pass();
        self.now
    }

    /// Sets the time.
    pub(super) const fn set_time(&mut self, now: u64) {
        self.now = now;
    }

    /// Advances the time. Often the step is zero or short. Sometimes it leads to a reported time, lasts about one period, or is
    /// very long.
    fn pass(&mut self) {
        let period = self.numbers.time * 1000;
        let longest = period.max(self.numbers.wait * 1000);
        let random = &mut self.random;
        self.now += match random.u32(0..16) {
            0..=3 => 0,
            4 => 1,
            5 => random.u64(0..2000),
            6..=8 => random.u64(0..=period / 4 + 1000),
            9 => period - 1000 + random.u64(0..2000),
            10 => random.u64(0..=2 * longest),
            11 => random.u64(0..=8) * longest,
            _ => self.until_named(),
        };
    }

    /// Picks one of the reported times, or a time 1 µs or 1 ms before or after it. Returns the time until then.
    fn until_named(&mut self) -> u64 {
        let Some(at) = self.random.choice(self.named.iter().copied()) else { return 0 };
        let beside = self.random.choice([0, 0, 1, 1000]).unwrap();
        let at = if self.random.bool() { at + beside } else { at - beside };
        at.saturating_sub(self.now)
    }

    pub(super) fn request(&mut self, mode: Mode) -> (usize, Operation) {
        let capacity = self.numbers.capacity();
        let cost = match self.random.u32(0..40) {
            0..=19 => 1,
            20 => self.random.u32(..),
            21 => 0,
            22..=29 => self.random.u32(0..=capacity.saturating_mul(2)),
            _ => self.random.u32(0..=capacity / 3 + 1),
        };
        // Few requests leave units to others, and most of these requests leave only some units.
        let keep = match self.random.u32(0..40) {
            0..=5 => self.random.u32(1..=capacity / 2 + 1),
            6 => capacity.saturating_sub(cost),
            7 => self.random.u32(..),
            _ => 0,
        };
        let key = self.random.usize(0..KEYS);
        if self.numbers.kind != Kind::Concurrency || mode == Mode::Peek {
            return (key, Operation::Decide { mode, cost, keep, permit: 1 });
        }
        if !self.waiting.is_empty() && self.random.u32(0..3) > 0 {
            let Charge { key, cost, keep, stamp } =
                self.waiting.swap_remove(self.random.usize(0..self.waiting.len()));
            return (key, Operation::Decide { mode, cost, keep, permit: stamp });
        }
        self.permits += 1;
        (key, Operation::Decide { mode, cost, keep, permit: self.permits })
    }

    pub(super) fn adjustment(&mut self) -> (usize, Operation) {
        let random = &mut self.random;
        let concurrency = self.numbers.kind == Kind::Concurrency;
        if !concurrency && random.u32(0..4) == 0 {
            let units = random.u32(0..=self.numbers.capacity().saturating_mul(3));
            let change = if units.is_multiple_of(4) { Change::Used } else { Change::Take };
            return (random.usize(0..KEYS), Operation::Adjust { units, change });
        }
        if let (Some(longest), 0) =
            (self.numbers.block.into_iter().max().filter(|ms| *ms > 0), random.u32(0..4))
        {
            let ms = random.u64(1..=longest);
            let changes = [Change::Block(ms), Change::Pause(ms), Change::Open, Change::Closed];
            let change = random.choice(changes).unwrap();
            return (random.usize(0..KEYS), Operation::Adjust { units: 0, change });
        }
        let list = if random.u32(0..4) == 0 { &self.waiting } else { &self.charges };
        let known = random.choice(list).copied();
        let unknown = Charge { key: 0, cost: 1, keep: 0, stamp: self.now / 1000 };
        let Charge { key, cost, stamp, .. } = known.unwrap_or(unknown);
        if concurrency && random.bool() {
            return (key, Operation::Adjust { units: cost, change: Change::Renew(stamp) });
        }
        if concurrency {
            return (key, Operation::Adjust { units: cost, change: Change::Give(stamp) });
        }
        let off = if random.bool() { 0 } else { random.u64(0..=4) };
        let stamp = if random.bool() { stamp + off } else { stamp - off };
        let units = if random.bool() { cost } else { random.u32(0..=cost.saturating_add(1)) };
        (key, Operation::Adjust { units, change: Change::Give(stamp) })
    }

    /// Stores what later operations need from the answer to a request: the reported times, and the charge or the waiting
    /// request.
    pub(super) fn note(&mut self, key: usize, operation: Operation, outcome: Outcome) {
        let (Operation::Decide { mode, cost, keep, permit }, Outcome::Answer(answer)) = (operation, outcome)
        else {
            return;
        };
        let request = Charge { key, cost, keep, stamp: permit };
        let ms = [Some(answer.reset_after), answer.retry_after, Some(answer.delay)];
        let at = ms.into_iter().flatten().filter(|ms| *ms > 0).map(|ms| self.now + ms * 1000);
        self.named.retain(|at| *at > self.now);
        self.named.extend(at);
        if answer.stamp > 0 {
            self.charges.push(Charge { stamp: answer.stamp, ..request });
        } else if self.numbers.kind == Kind::Concurrency && !answer.allowed && mode != Mode::Peek {
            self.waiting.push(request);
        }
        for (list, most) in [(&mut self.charges, 40), (&mut self.waiting, 12)] {
            list.drain(..list.len().saturating_sub(most));
        }
        let superfluous = self.named.len().saturating_sub(30);
        self.named.drain(..superfluous);
    }
}
