//! `World`: random calls on the keys of several limits.

use super::call::{Call, Place, Step};
use super::operations::{Operation, Outcome};
use super::traffic::{KEYS, START, Traffic};
use crate::limit::Limit;
use crate::store::{Change, Mode};
use crate::testing::conformance::definitions::{Kind, Numbers};

const LONGEST_BLOCK_MS: u64 = 366 * 86_400_000;
/// The time in µs after which a sequence goes on in steps of at most 2 ms, so that all sequences together end in this century.
const LONGEST_SEQUENCE: u64 = 700 * 86_400_000_000;

/// What a store supports.
#[derive(Clone, Copy)]
pub(super) struct Abilities<'s> {
    pub(super) supports: &'s dyn Fn(&Limit) -> bool,
    /// Whether callers can be blocked by hand.
    pub(super) blocks: bool,
    pub(super) pauses: bool,
}

/// The bit of the ids of permits that the traffic does not know.
const FRESH: u64 = 1 << 50;

/// A limit of a sequence whose numbers change.
struct Changing {
    base: Numbers,
    /// The numbers at present, or before the limit was stopped by a `count` of zero.
    numbers: Numbers,
    /// Whether one of its keys has been paused since all keys were reset.
    was_paused: bool,
    traffic: Traffic,
}

pub(super) struct World<'s> {
    random: fastrand::Rng,
    abilities: Abilities<'s>,
    limits: Vec<Changing>,
    now: u64,
    /// The number of permits that this world has asked for by itself.
    permits: u64,
    /// The limits whose keys were all reset at the present time.
    young: Vec<usize>,
}

impl<'s> World<'s> {
    pub(super) fn new(limits: &[Numbers], abilities: Abilities<'s>, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut changing = |numbers: &Numbers| {
            let traffic = Traffic::new(*numbers, random.u64(..));
            Changing { base: *numbers, numbers: *numbers, was_paused: false, traffic }
        };
        let limits = limits.iter().map(&mut changing).collect();
        Self { random, abilities, limits, now: START, permits: 0, young: Vec::new() }
    }

    pub(super) fn next(&mut self) -> Call {
        let alone = self.random.u32(0..3) == 0;
        if !alone || self.random.bool() {
            self.pass();
        }
        let mut call = Call { at: self.now - START, ..Call::default() };
        match self.random.u32(0..40) {
            0 => call.reset = self.reset(),
            1..=4 => self.change(),
            _ => {}
        }
        let mode = match self.random.u32(0..20) {
            0 | 1 => Some(Mode::Peek),
            2..=7 => Some(Mode::Check),
            8..=15 => Some(Mode::Charge),
            _ => None,
        };
        let groups = if alone { 1 } else { self.random.usize(1..=15) };
        let groups = (0..groups).map(|_| match mode {
            Some(mode) => self.stack(mode),
            None => self.adjustment().into_iter().collect(),
        });
        call.groups = groups.filter(|group| !group.is_empty()).collect();
        call
    }

    /// Learns the outcomes of a call.
    pub(super) fn note(&mut self, steps: &[Step], outcomes: &[Outcome]) {
        for (Step { place: (limit, key), operation, .. }, outcome) in steps.iter().zip(outcomes) {
            self.limits[*limit].traffic.note(*key, *operation, *outcome);
        }
    }

    fn any_limit(&mut self) -> usize {
        self.random.usize(0..self.limits.len())
    }

    /// Advances the time at the pace of one of the limits. Sometimes a step of a block passes.
    fn pass(&mut self) {
        let of = self.any_limit();
        let Changing { base, traffic, .. } = &mut self.limits[of];
        let step = self.random.choice(base.block).filter(|ms| *ms > 0 && self.random.u32(0..5) == 0);
        let beside = self.random.choice([0, 0, 1, 1000]).unwrap_or(0);
        let mut then = match step {
            Some(ms) if self.random.bool() => self.now + ms * 1000 + beside,
            Some(ms) => self.now + ms * 1000 - beside,
            None => traffic.later(self.now),
        };
        if then > START + LONGEST_SEQUENCE {
            then = self.now + self.random.u64(0..2000);
        }
        if then > self.now {
            self.young.clear();
        }
        self.now = then;
        self.limits.iter_mut().for_each(|limit| limit.traffic.set_time(then));
    }

    /// Resets a few keys, or all keys of a limit.
    fn reset(&mut self) -> Vec<(Place, Numbers)> {
        let of = self.any_limit();
        let traffic = &mut self.limits[of].traffic;
        traffic.forget();
        let numbers = traffic.numbers();
        let all = self.random.bool();
        if all {
            self.young.push(of);
            self.limits[of].was_paused = false;
        }
        let keys = (0..KEYS).filter(|_| all || self.random.u32(0..3) == 0);
        keys.map(|key| ((of, key), numbers)).collect()
    }

    /// Changes the numbers of a limit, as far as the outcomes stay determined.
    fn change(&mut self) {
        let of = self.any_limit();
        let Changing { base, numbers: earlier, was_paused, .. } = self.limits[of];
        let count = self.any_of([base.count, base.count / 2, base.count.saturating_mul(2)]);
        let time = self.any_of([base.time, base.time, base.time / 4, base.time * 3]);
        let burst = self.any_of([base.burst, base.burst / 2, base.burst.saturating_mul(2)]);
        let block = self.any_of([base.block, [0; 3]]);
        let changes = self.random.u32(1..16);
        let numbers = Numbers {
            count: if changes & 1 > 0 { count.max(1) } else { earlier.count },
            time: if changes & 2 > 0 && base.calendar.is_none() { time } else { earlier.time },
            burst: if changes & 4 > 0 && !base.is_queue() { burst.max(1) } else { earlier.burst },
            block: if changes & 8 > 0 { block } else { earlier.block },
            ..base
        };
        let shortest = if base.kind == Kind::Concurrency { 1000 } else { 1 };
        let is_supported =
            |numbers: &Numbers| numbers.try_limit().is_some_and(|it| (self.abilities.supports)(&it));
        let may_follow = numbers.may_follow(&earlier, self.young.contains(&of), was_paused);
        if may_follow && numbers.time >= shortest && is_supported(&numbers) {
            self.limits[of].numbers = numbers;
        }
        let mut numbers = self.limits[of].numbers;
        if self.random.u32(0..10) == 0 {
            numbers.count = 0;
        }
        self.limits[of].traffic.change(numbers);
    }

    fn any_of<T: Copy, const N: usize>(&mut self, options: [T; N]) -> T {
        options[self.random.usize(0..N)]
    }

    /// A request, or a stack of requests on different keys.
    fn stack(&mut self, mode: Mode) -> Vec<Step> {
        let several = self.random.u32(0..if self.limits.len() > 1 { 2 } else { 4 }) == 0;
        let members = if several { self.random.usize(2..=6) } else { 1 };
        let mut stack: Vec<Step> = Vec::new();
        for _ in 0..members {
            let of = self.any_limit();
            let traffic = &mut self.limits[of].traffic;
            let (numbers, (key, operation)) = (traffic.numbers(), traffic.request(mode));
            let step = Step { place: (of, key), numbers, operation: self.extreme(operation) };
            if stack.iter().all(|member| member.place != step.place) {
                stack.push(step);
            }
        }
        stack
    }

    /// Gives some requests extreme numbers: sums that do not fit into 32 bits, and a cost of zero.
    fn extreme(&mut self, operation: Operation) -> Operation {
        const HALF: u32 = 1 << 31;
        let Operation::Decide { mode, cost, .. } = operation else { return operation };
        let extremes = [
            (1, u32::MAX),
            (u32::MAX, 1),
            (u32::MAX, u32::MAX),
            (cost.max(1), u32::MAX - cost.max(1) + 1),
            (cost, HALF - 1),
            (HALF, 0),
            (HALF, HALF),
            (0, u32::MAX),
            (0, 0),
            (0, 0),
            (0, 0),
        ];
        let (cost, keep) = self.any_of(extremes);
        if self.random.u32(0..15) > 0 {
            return operation;
        }
        self.permits += 1;
        Operation::Decide { mode, cost, keep, permit: FRESH | self.permits }
    }

    /// An adjustment. `None` if the chosen limit admits nothing, because then it is not determined what an adjustment does.
    fn adjustment(&mut self) -> Option<Step> {
        let of = self.any_limit();
        let numbers = self.limits[of].traffic.numbers();
        let gates = numbers.takes_block() && self.random.u32(0..3) == 0;
        let (key, operation) = if gates && (self.abilities.blocks || self.abilities.pauses) {
            (self.random.usize(0..KEYS), Operation::Adjust { units: 0, change: self.gate(&numbers) })
        } else {
            self.limits[of].traffic.adjustment()
        };
        let is_possible = match operation {
            Operation::Adjust { change: Change::Block(_) | Change::Open, .. } => self.abilities.blocks,
            Operation::Adjust { change: Change::Pause(_) | Change::Closed, .. } => self.abilities.pauses,
            _ => true,
        };
        let is_made = numbers.count > 0 && is_possible;
        let pauses = matches!(operation, Operation::Adjust { change: Change::Pause(_), .. });
        self.limits[of].was_paused |= is_made && pauses;
        is_made.then_some(Step { place: (of, key), numbers, operation })
    }

    /// A block or a pause, its end, or the question for its end. Few blocks are long.
    fn gate(&mut self, numbers: &Numbers) -> Change {
        let usual = self.random.u64(1..=2 * numbers.time);
        let ms = self.any_of([usual, usual, 1, 999, 1500, 7 * numbers.time]).min(LONGEST_BLOCK_MS);
        match self.random.u32(0..8) {
            0..=1 => Change::Block(ms),
            2..=3 => Change::Pause(ms),
            4..=5 => Change::Closed,
            _ => Change::Open,
        }
    }
}
