//! What happens in one run: limits, calls and faults, all drawn from one seed. It is plain data, so that it can be shrunk.

use crate::server::{LinkFault, Trouble};
use fastrand::Rng;
use ratelimit::Limit;
use ratelimit::overrides::LimitChange;
use std::time::Duration;

/// The most callers of one limit.
pub(crate) const CALLERS: u8 = 2;

/// How long calls take to end: they wait at most 3 s, and hold permits for 4 s.
pub(crate) const CLOSING: Duration = Duration::from_secs(8);

/// A run.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    pub(crate) seed: u64,
    pub(crate) processes: usize,
    pub(crate) deadline: Duration,
    /// Whether many messages take long.
    pub(crate) is_slow: bool,
    pub(crate) limits: Vec<Limit>,
    pub(crate) steps: Vec<Step>,
}

/// An event and its time since the start.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) at: Duration,
    pub(crate) event: Event,
}

#[derive(Clone, Debug)]
pub(crate) enum Event {
    Call(Call),
    Fault(Fault),
    Change(Change),
    /// A process ends in good order, and another one takes its place at once.
    Retire(usize),
    /// All processes end in good order, and others start after this time.
    Night(Duration),
}

/// A call that a process makes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) process: usize,
    pub(crate) limit: usize,
    pub(crate) who: u8,
    pub(crate) cost: u32,
    pub(crate) kind: Kind,
    /// The caller gives up after this time.
    pub(crate) dropped_after: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Check,
    Acquire,
    Charge {
        then: Then,
    },
    Permit {
        held: Duration,
    },
    /// The same cost of another limit is taken in the same decision.
    Stack {
        with: usize,
    },
}

/// What becomes of a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Keep,
    Refund,
    Settle(u32),
}

/// The count of a limit changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) process: usize,
    pub(crate) limit: usize,
    pub(crate) how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// A new version of the service runs in this process, and in those that start later.
    Deploy(u32),
    /// This process sets an override for all.
    Override(u32),
    Remove,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// The next script call of a process meets this.
    Link(usize, LinkFault),
    Silence(usize, Duration),
    Stall(Duration),
    Reject(Trouble, Duration),
    ForgetScripts,
    Restart {
        down: Duration,
        keeps_keys: bool,
    },
    Clock {
        micros: i64,
    },
    /// `kill -9`. Another process starts in its place.
    Kill(usize),
}

impl Schedule {
    /// Draws a run.
    pub(crate) fn draw(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let processes = random.usize(1..=4);
        let limits: Vec<Limit> = (0..random.usize(1..=3)).map(|_| limit(&mut random)).collect();
        let deadline = Duration::from_millis(*random.choice(&[50, 100, 250]).unwrap_or(&100));
        let faults = random.choice([0, 2, 6, 15]).unwrap_or(2);
        let changes = random.choice([0, 0, 3, 15]).unwrap_or(0);
        let is_slow = random.u8(..8) == 0;
        let mut at = Duration::ZERO;
        let mut steps = Vec::new();
        for _ in 0..random.usize(20..250) {
            at += pause(&mut random);
            let is_fault = random.u32(..100) < faults;
            let event = if random.u32(..300) == 0 {
                let night = Duration::from_secs(random.u64(60..1_000_000));
                at += CLOSING;
                let event = Event::Night(night);
                steps.push(Step { at, event });
                at += night;
                continue;
            } else if is_fault {
                Event::Fault(fault(&mut random, processes))
            } else if random.u32(..200) == 0 {
                Event::Retire(random.usize(..processes))
            } else if random.u32(..100) < changes {
                Event::Change(change(&mut random, processes, limits.len()))
            } else {
                Event::Call(call(&mut random, processes, &limits))
            };
            steps.push(Step { at, event });
        }
        Self { seed, processes, deadline, is_slow, limits, steps }
    }

    /// The time of the last event.
    pub(crate) fn length(&self) -> Duration {
        self.steps.last().map_or(Duration::ZERO, |step| match step.event {
            Event::Night(night) => step.at + night,
            _ => step.at,
        })
    }
}

/// Most calls come in bursts.
fn pause(random: &mut Rng) -> Duration {
    match random.u32(..1000) {
        ..10 => Duration::from_millis(random.u64(1000..10_000)),
        10..300 => Duration::from_millis(random.u64(5..200)),
        300..600 => Duration::from_micros(random.u64(..3000)),
        _ => Duration::ZERO,
    }
}

fn limit(random: &mut Rng) -> Limit {
    let count = random.u32(1..=12);
    let time = match random.u8(..4) {
        0 => Duration::from_millis(random.u64(50..2000)),
        1 => Duration::from_secs(random.u64(2..120)),
        _ => Duration::from_secs(86_400 * random.u64(1..60)),
    };
    let limit = match random.u8(..8) {
        0 | 1 => Limit::counter(count, time),
        2 => Limit::token_bucket(count, time),
        3 => Limit::sliding_window(count, time),
        4 => Limit::sliding_log(count, time),
        5 => Limit::leaky_bucket(count, time),
        6 => Limit::concurrency(count, Duration::from_secs(random.u64(1..60))),
        _ => {
            let leased = Limit::counter(count * *random.choice(&[2, 20]).unwrap_or(&20), time);
            let leased = leased.try_lease(random.u32(1..=8)).unwrap_or(leased);
            let short = LimitChange::new().time(Duration::from_millis(random.u64(50..2000)));
            if random.bool() { short.apply(&leased).unwrap_or(leased) } else { leased }
        }
    };
    let wait = Duration::from_millis(random.u64(1..3000));
    if random.u8(..4) == 0 { limit.try_wait(wait).unwrap_or(limit) } else { limit }
}

fn call(random: &mut Rng, processes: usize, limits: &[Limit]) -> Call {
    let limit = random.usize(..limits.len());
    let kind = if is_concurrency(&limits[limit]) {
        Kind::Permit { held: Duration::from_millis(random.u64(..4000)) }
    } else {
        match random.u8(..8) {
            0 | 1 => Kind::Acquire,
            2 => Kind::Charge { then: then(random) },
            3 => Kind::Stack { with: random.usize(..limits.len()) },
            _ => Kind::Check,
        }
    };
    // A stack has each limit once, and no permits.
    let kind = match kind {
        Kind::Stack { with } if with == limit || is_concurrency(&limits[with]) => Kind::Check,
        kind => kind,
    };
    let cost = if random.u8(..5) == 0 { random.u32(0..=3) } else { 1 };
    let dropped_after = (random.u8(..20) == 0).then(|| Duration::from_micros(random.u64(..3000)));
    Call { process: random.usize(..processes), limit, who: random.u8(..CALLERS), cost, kind, dropped_after }
}

fn is_concurrency(limit: &Limit) -> bool {
    limit.algorithm() == ratelimit::Algorithm::Concurrency
}

fn then(random: &mut Rng) -> Then {
    match random.u8(..4) {
        0 => Then::Keep,
        1 => Then::Settle(random.u32(0..=3)),
        _ => Then::Refund,
    }
}

fn change(random: &mut Rng, processes: usize, limits: usize) -> Change {
    let how = match random.u8(..4) {
        0 => How::Deploy(random.u32(1..=12)),
        1 => How::Remove,
        _ => How::Override(random.u32(1..=12)),
    };
    Change { process: random.usize(..processes), limit: random.usize(..limits), how }
}

fn fault(random: &mut Rng, processes: usize) -> Fault {
    let process = random.usize(..processes);
    let time = Duration::from_millis(random.u64(1..3000));
    match random.u8(..16) {
        0 | 1 => Fault::Link(process, LinkFault::LoseReply),
        2 => Fault::Link(process, LinkFault::Reset),
        3 => Fault::Link(process, LinkFault::HalfReply),
        4 => Fault::Link(process, LinkFault::SlowReply),
        5 | 6 => Fault::Silence(process, time),
        7 | 8 => Fault::Stall(time),
        9 => Fault::Reject(Trouble::Loading, time),
        10 => Fault::Reject(Trouble::OutOfMemory, time),
        11 => Fault::Reject(Trouble::ReadOnly, time),
        12 => Fault::ForgetScripts,
        13 => Fault::Restart { down: time, keeps_keys: random.bool() },
        14 => Fault::Clock { micros: random.i64(-2_000_000..5_000_000) },
        _ => Fault::Kill(process),
    }
}
