//! Random traffic on a few keys of one limit, what its definition answers, and what a store does.

use crate::definitions::{Answer, Definition, Kind, Numbers};
use crate::setup::{Ask, Tell, ask, tell};
use ratelimit::{Change, Decision, Error, Limit, Mode, Store};
use std::time::Duration;

const KEYS: usize = 6;

/// What happens to a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Ask { mode: Mode, cost: u32, permit: u64 },
    Tell { units: u32, change: Change },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Answer(Answer),
    Units(u32),
}

/// A store's decision in the words of the definitions.
pub(crate) fn answer(decision: &Decision) -> Answer {
    let ms = |duration: Duration| {
        assert_eq!(duration.subsec_nanos() % 1_000_000, 0, "a fraction of a millisecond");
        u64::try_from(duration.as_millis()).unwrap()
    };
    Answer {
        allowed: decision.allowed(),
        delay: ms(decision.delay()),
        limit: decision.limit(),
        remaining: decision.remaining(),
        retry_after: decision.retry_after().map(ms),
        reset_after: ms(decision.reset_after()),
        stamp: decision.stamp(),
    }
}

pub(crate) fn by_definition(definition: &mut dyn Definition, now: u64, step: Step) -> Outcome {
    match step {
        Step::Ask { mode, cost, permit } => Outcome::Answer(definition.decide(now, mode, cost, permit)),
        Step::Tell { units, change } => Outcome::Units(match change {
            Change::Give(stamp) => definition.give(now, units, stamp),
            Change::Take => definition.take(now, units),
            Change::Renew(id) => definition.renew(now, id),
            other => panic!("no definition of {other:?}"),
        }),
    }
}

/// Steps of one sort (requests of one mode, or adjustments) in one call of the store.
pub(crate) async fn by_store(
    store: &dyn Store,
    limit: Limit,
    steps: &[(usize, Step)],
) -> Result<Vec<Outcome>, Error> {
    let mut the_mode = Mode::Peek;
    let (mut asks, mut tells) = (Vec::new(), Vec::new());
    for &(key, step) in steps {
        match step {
            Step::Ask { mode, cost, permit } => {
                the_mode = mode;
                asks.push(Ask::new(key, limit, cost).with_permit(permit));
            }
            Step::Tell { units, change } => tells.push(Tell { key, limit, units, change }),
        }
    }
    assert!(asks.is_empty() || tells.is_empty());
    if asks.is_empty() {
        return Ok(tell(store, &tells).await?.into_iter().map(Outcome::Units).collect());
    }
    let decisions = ask(store, the_mode, &asks).await?;
    Ok(decisions.iter().map(|decision| Outcome::Answer(answer(decision))).collect())
}

/// Whether a store does these steps as defined. Of a permit, a ticket or a stamp that counts no more it may say that it was
/// still there to be removed: nobody makes use of it, and to know better would cost each release a command.
pub(crate) fn agree(
    numbers: &Numbers,
    steps: &[(usize, Step)],
    found: &[Outcome],
    expected: &[Outcome],
) -> bool {
    let lists = matches!(numbers.kind, Kind::Concurrency | Kind::Log);
    let one = |((found, expected), (_, step)): ((&Outcome, &Outcome), &(usize, Step))| {
        let removed =
            matches!((step, found), (Step::Tell { change: Change::Give(_), .. }, Outcome::Units(_)));
        found == expected || lists && removed && *expected == Outcome::Units(0)
    };
    found.len() == expected.len() && found.iter().zip(expected).zip(steps).all(one)
}

/// A charge that can be given back, or a permit.
#[derive(Clone, Copy)]
struct Charge {
    key: usize,
    cost: u32,
    stamp: u64,
}

pub(crate) struct Traffic {
    numbers: Numbers,
    random: fastrand::Rng,
    definitions: Vec<Box<dyn Definition>>,
    /// µs
    now: u64,
    /// Recent ones.
    charges: Vec<Charge>,
    /// Those who wait for a permit; the stamp is its id.
    waiting: Vec<Charge>,
    permits: u64,
    /// Times that answers have named, at which something happens.
    named: Vec<u64>,
}

impl Traffic {
    pub(crate) fn new(numbers: Numbers, seed: u64) -> Self {
        Self {
            numbers,
            random: fastrand::Rng::with_seed(seed),
            definitions: (0..KEYS).map(|_| numbers.definition()).collect(),
            now: 1_763_000_000_000_000,
            charges: Vec::new(),
            waiting: Vec::new(),
            permits: 1,
            named: Vec::new(),
        }
    }

    /// Until the year 2255: above 2^53 µs scripts cannot count time.
    pub(crate) fn goes_on(&self) -> bool {
        self.now < (1 << 53) - 20 * (self.numbers.time + self.numbers.wait) * 1000
    }

    /// The next moment (µs), and what is done then in one call.
    pub(crate) fn next(&mut self) -> (u64, Vec<(usize, Step)>) {
        // One request alone is decided by a script of its own.
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
                Some(mode) => self.ask(mode),
                None => self.tell(),
            })
            .collect();
        (self.now, steps)
    }

    /// The same for one request, mostly one that a lone script decides.
    pub(crate) fn next_alone(&mut self) -> (u64, Vec<(usize, Step)>) {
        if self.random.u32(0..6) == 0 {
            self.pass();
        }
        let alone = match self.random.u32(0..8) {
            0 => self.tell(),
            1 | 2 => self.ask(Mode::Charge),
            _ => self.ask(Mode::Check),
        };
        (self.now, vec![alone])
    }

    /// What the definition answers to that, in order.
    pub(crate) fn expected(&mut self, steps: &[(usize, Step)]) -> Vec<Outcome> {
        steps
            .iter()
            .map(|&(key, step)| {
                let outcome = by_definition(&mut *self.definitions[key], self.now, step);
                if let (Outcome::Answer(answer), Step::Ask { mode, cost, permit }) = (outcome, step) {
                    self.note(key, mode, cost, permit, answer);
                }
                outcome
            })
            .collect()
    }

    /// Mostly nothing or little, sometimes to the edge of something, sometimes far beyond.
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

    /// To a moment that an answer has named, or one unit of the clock beside it.
    fn until_named(&mut self) -> u64 {
        let Some(at) = self.random.choice(self.named.iter().copied()) else { return 0 };
        let beside = self.random.choice([0, 0, 1, 1000]).unwrap();
        let at = if self.random.bool() { at + beside } else { at - beside };
        at.saturating_sub(self.now)
    }

    fn ask(&mut self, mode: Mode) -> (usize, Step) {
        let capacity = self.numbers.capacity();
        let cost = match self.random.u32(0..40) {
            0..=19 => 1,
            20 => self.random.u32(..),
            21 => 0,
            22..=29 => self.random.u32(0..=capacity.saturating_mul(2)),
            _ => self.random.u32(0..=capacity / 3 + 1),
        };
        let key = self.random.usize(0..KEYS);
        if self.numbers.kind != Kind::Concurrency || mode == Mode::Peek {
            return (key, Step::Ask { mode, cost, permit: 1 });
        }
        if !self.waiting.is_empty() && self.random.u32(0..3) > 0 {
            let Charge { key, cost, stamp } =
                self.waiting.swap_remove(self.random.usize(0..self.waiting.len()));
            return (key, Step::Ask { mode, cost, permit: stamp });
        }
        self.permits += 1;
        (key, Step::Ask { mode, cost, permit: self.permits })
    }

    fn tell(&mut self) -> (usize, Step) {
        let random = &mut self.random;
        let concurrency = self.numbers.kind == Kind::Concurrency;
        if !concurrency && random.u32(0..4) == 0 {
            let units = random.u32(0..=self.numbers.capacity().saturating_mul(3));
            return (random.usize(0..KEYS), Step::Tell { units, change: Change::Take });
        }
        let list = if random.u32(0..4) == 0 { &self.waiting } else { &self.charges };
        let known = random.choice(list).copied();
        let Charge { key, cost, stamp } = known.unwrap_or(Charge { key: 0, cost: 1, stamp: self.now / 1000 });
        if concurrency && random.bool() {
            return (key, Step::Tell { units: cost, change: Change::Renew(stamp) });
        }
        if concurrency {
            return (key, Step::Tell { units: cost, change: Change::Give(stamp) });
        }
        // Cells of a few milliseconds cannot be told apart by a stamp that is as much off.
        let off = if self.numbers.time < 6 { 0 } else { random.u64(0..=4) };
        let stamp = if random.bool() { stamp + off } else { stamp - off };
        let units = if random.bool() { cost } else { random.u32(0..=cost.saturating_add(1)) };
        (key, Step::Tell { units, change: Change::Give(stamp) })
    }

    fn note(&mut self, key: usize, mode: Mode, cost: u32, permit: u64, answer: Answer) {
        let ms = [Some(answer.reset_after), answer.retry_after, Some(answer.delay)];
        let at = ms.into_iter().flatten().filter(|ms| *ms > 0).map(|ms| self.now + ms * 1000);
        self.named.retain(|at| *at > self.now);
        self.named.extend(at);
        if answer.stamp > 0 {
            self.charges.push(Charge { key, cost, stamp: answer.stamp });
        } else if self.numbers.kind == Kind::Concurrency && !answer.allowed && mode != Mode::Peek {
            self.waiting.push(Charge { key, cost, stamp: permit });
        }
        for (list, most) in [(&mut self.charges, 40), (&mut self.waiting, 12)] {
            list.drain(..list.len().saturating_sub(most));
        }
        let superfluous = self.named.len().saturating_sub(30);
        self.named.drain(..superfluous);
    }
}
