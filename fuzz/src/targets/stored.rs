//! Fuzz target `stored`: runs a sequence of operations on one key of the memory store. Each operation starts from the state that
//! the previous one has left. The results are compared with the definitions of the algorithms.

use ratelimit::__testing::conformance::definitions::{Definition, Kind, Numbers};
use ratelimit::__testing::conformance::{Operation, Outcome, agree, answer, by_definition};
use ratelimit::MemoryStore;
use ratelimit::clock::ManualClock;
use ratelimit::store::{Adjustment, Change, Mode, Request, Store, StoreKey};
use std::time::Duration;

const START: u64 = 1_763_000_000_000_000;

const LIMITS: [Numbers; 16] = [
    Numbers::new(Kind::Counter, 5, 60_000),
    Numbers::new(Kind::Counter, 3, 20).wait(100),
    Numbers::new(Kind::Counter, 2, 1000).block([1000, 5000, 0]),
    Numbers::new(Kind::Counter, 5, 86_400_000).calendar("day -11:45"),
    Numbers::new(Kind::Greedy, 7, 60_000).burst(10).borrow(3),
    Numbers::new(Kind::Greedy, 300, 1000).burst(50).wait(700),
    Numbers::new(Kind::Interval, 2, 7).burst(9).borrow(3).wait(30),
    Numbers::new(Kind::Leaky, 7, 60_000).burst(10),
    Numbers::new(Kind::Leaky, 3, 1000).wait(2000),
    Numbers::new(Kind::Window, 10, 1000),
    Numbers::new(Kind::Window, 5, 100).wait(250),
    Numbers::new(Kind::Window, 4, 1000).block([2000, 0, 0]),
    Numbers::new(Kind::Log, 10, 1000),
    Numbers::new(Kind::Log, 5, 60).wait(100),
    Numbers::new(Kind::Concurrency, 10, 60_000),
    Numbers::new(Kind::Concurrency, 3, 1000).wait(2000),
];

/// Runs one input. The first byte chooses the limit. Each four bytes after it are an operation: the time before it, its kind, its
/// units, and a detail.
pub(super) fn run(input: &[u8]) {
    let [which, steps @ ..] = input else { return };
    let numbers = LIMITS[usize::from(*which) % LIMITS.len()];
    let mut key = Key::new(numbers);
    steps.as_chunks::<4>().0.iter().for_each(|step| key.step(*step));
}

struct Key {
    numbers: Numbers,
    definition: Box<dyn Definition>,
    clock: ManualClock,
    store: MemoryStore<ManualClock>,
    /// The time in µs.
    now: u64,
    /// The stamps of charges, or the ids of permits, with their costs.
    charges: Vec<(u64, u32)>,
    permits: u64,
}

impl Key {
    fn new(numbers: Numbers) -> Self {
        let clock = ManualClock::new();
        let (store, definition) = (MemoryStore::with_clock(clock.clone()), numbers.definition());
        Self { numbers, definition, clock, store, now: START, charges: Vec::new(), permits: 0 }
    }

    fn step(&mut self, [pause, what, units, detail]: [u8; 4]) {
        let period = self.numbers.time * 1000;
        self.now += match pause {
            ..64 => 0,
            64..128 => u64::from(pause - 63),
            128..192 => u64::from(pause - 127) * 1000,
            _ => u64::from(pause - 191) * period / 16,
        };
        self.clock.set(Duration::from_micros(self.now));
        let Some(operation) = self.operation(what, units.into(), detail) else { return };
        let expected = by_definition(&mut *self.definition, self.now, operation);
        let found = self.by_store(operation);
        let agrees = agree(&self.numbers, &[(0, operation)], &[found], &[expected]);
        assert!(agrees, "{operation:?} at {} us: {found:?}, expected {expected:?}", self.now - START);
        let permit = self.is_concurrency().then_some(self.permits);
        if let (Operation::Decide { mode: Mode::Charge, cost, .. }, Outcome::Answer(answer)) =
            (operation, found)
            && answer.allowed
            && cost > 0
        {
            self.charges.push((permit.unwrap_or(answer.stamp), cost));
        }
    }

    fn is_concurrency(&self) -> bool {
        self.numbers.kind == Kind::Concurrency
    }

    fn operation(&mut self, what: u8, units: u32, detail: u8) -> Option<Operation> {
        let blocks = self.numbers.block[0] > 0;
        let ms = u64::from(detail) * 40 + 1;
        let change = match what % 16 {
            which @ ..9 => {
                let mode = [Mode::Check, Mode::Charge, Mode::Charge, Mode::Peek][usize::from(which) % 4];
                let mode = if self.is_concurrency() && mode == Mode::Check { Mode::Charge } else { mode };
                self.permits += 1;
                let (cost, keep) = (units % 16, if detail < 200 { 0 } else { u32::from(detail - 200) });
                return Some(Operation::Decide { mode, cost, keep, permit: self.permits });
            }
            9..12 => {
                let at = usize::from(detail).checked_rem(self.charges.len())?;
                let (stamp, cost) = self.charges[at];
                if self.is_concurrency() && what & 16 > 0 {
                    return Some(Operation::Adjust { units: cost, change: Change::Renew(stamp) });
                }
                self.charges.swap_remove(at);
                let units = if self.is_concurrency() { cost } else { units.min(cost) };
                return Some(Operation::Adjust { units, change: Change::Give(stamp) });
            }
            12 if !self.is_concurrency() => {
                let change = if what & 16 > 0 { Change::Used } else { Change::Take };
                return Some(Operation::Adjust { units: units % 32, change });
            }
            13 if blocks => Change::Block(ms),
            14 if blocks => Change::Pause(ms),
            15 if blocks => [Change::Open, Change::Closed][usize::from(detail) % 2],
            _ => return None,
        };
        Some(Operation::Adjust { units: 0, change })
    }

    #[expect(clippy::expect_used, reason = "the memory store decides at once")]
    fn by_store(&self, operation: Operation) -> Outcome {
        let limit = self.numbers.limit();
        let key = StoreKey::new(format!("t:{{0}}:{}", limit.algorithm().as_str()).as_bytes());
        let ready = "the memory store decides at once";
        match operation {
            Operation::Decide { mode, cost, keep, permit } => {
                let request = Request::new(key, limit, cost).with_permit(permit).with_keep(keep);
                let reply = self.store.decide(mode, &[&request]);
                Outcome::Answer(answer(&reply.ready_value().expect(ready)[0]))
            }
            Operation::Adjust { units, change } => {
                let reply = self.store.adjust(&[Adjustment::new(key, limit, units, change)]);
                Outcome::Units(reply.ready_value().expect(ready)[0])
            }
        }
    }
}
