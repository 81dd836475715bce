//! Draws faults that come with operations: changed credentials, refused writes, a machine that stands still, and connections that
//! become black holes. Uses separate random numbers, so that all other events stay the same.

use super::{Call, Event, Fault, Kind, Schedule, Step};
use crate::server::Trouble;
use fastrand::Rng;
use ratelimit::Limit;
use std::time::Duration;

/// The kinds of faults that are drawn. The library must keep its promises about each kind that is on.
const CREDENTIALS: bool = true;
const REFUSED_WRITES: bool = true;
const FREEZES: bool = true;
const BLACK_HOLES: bool = true;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

impl Schedule {
    /// Adds faults of one kind to a quarter of the runs.
    pub(super) fn with_operations(mut self) -> Self {
        let mut random = Rng::with_seed(self.seed.rotate_left(16) ^ 0x0b5);
        match random.u8(..16) {
            0 if CREDENTIALS => self.insert(&mut random, credentials),
            1 if REFUSED_WRITES => self.refuse_writes(&mut random),
            2 if FREEZES => self.insert(&mut random, |random, _| Fault::Freeze(ms(random.u64(50..300)))),
            3 if BLACK_HOLES => self.insert(&mut random, |random, schedule| Fault::BlackHole {
                process: random.usize(..schedule.processes),
                server: random.usize(..schedule.layout.servers()),
            }),
            _ => {}
        }
        self
    }

    /// Inserts up to three faults beside the calls of the run.
    fn insert(&mut self, random: &mut Rng, fault: impl Fn(&mut Rng, &Self) -> Fault) {
        for _ in 0..random.usize(1..=3) {
            let near = self.steps.get(random.usize(..self.steps.len().max(1)));
            let at = near.map_or(Duration::ZERO, |step| step.at) + Duration::from_micros(random.u64(..3000));
            let event = Event::Fault(fault(random, self));
            let place = self.steps.partition_point(|step| step.at <= at);
            // Nothing happens during a night. After a freeze, events come late for a while.
            let is_night =
                self.steps[..place].last().is_some_and(|step| matches!(step.event, Event::Night(_)));
            let is_frozen = self.steps.iter().any(|step| {
                matches!(step.event, Event::Fault(Fault::Freeze(_))) && step.at.abs_diff(at) < ms(2000)
            });
            if !is_night && !is_frozen {
                self.steps.insert(place, Step { at, event });
            }
        }
    }

    /// Draws a limit that callers use up. Then the server refuses writes, while callers that have used up their limits and other
    /// callers ask at the same time.
    fn refuse_writes(&mut self, random: &mut Rng) {
        let (count, time) = (random.u32(1..=4), Duration::from_secs(30 * 86_400));
        let limit = match random.u8(..5) {
            0 => Limit::counter(count, time),
            1 => Limit::counter(count, time).block(&[Duration::from_secs(3600)]),
            2 => Limit::sliding_log(count, time),
            3 => Limit::token_bucket(count, time),
            _ => Limit::concurrency(count, Duration::from_secs(60)).wait(ms(random.u64(1..300))),
        };
        let is_concurrency = limit.is_concurrency();
        let kind = |held| if is_concurrency { Kind::Permit { held } } else { Kind::Check };
        self.limits = vec![limit];
        (self.steps, self.is_slow) = (Vec::new(), false);
        let mut call = |at, who, held| {
            let call = Call {
                process: random.usize(..self.processes),
                limit: 0,
                who,
                cost: 1,
                keep: 0,
                kind: kind(held),
                dropped_after: None,
            };
            self.steps.push(Step { at, event: Event::Call(call) });
        };
        for at in 0..=count {
            call(ms(u64::from(at) * 10), 0, ms(9000));
        }
        let troubles = [Trouble::OutOfMemory, Trouble::NoReplicas, Trouble::Misconfigured, Trouble::ReadOnly];
        let mut at = ms(500);
        for trouble in troubles {
            let fault = Fault::Reject(0, trouble, ms(300));
            self.steps.push(Step { at, event: Event::Fault(fault) });
            let mut call = |at, who| {
                let (process, kind) = (random.usize(..self.processes), kind(ms(1)));
                let call = Call { process, limit: 0, who, cost: 1, keep: 0, kind, dropped_after: None };
                self.steps.push(Step { at, event: Event::Call(call) });
            };
            for burst in 0..4 {
                let at = at + ms(20 + 40 * burst);
                for who in [1, 0, 2, 0, 1] {
                    call(at, who);
                }
            }
            at += ms(2000);
        }
    }
}

/// A change of the password, of the permissions or of the certificate, until somebody repairs it.
fn credentials(random: &mut Rng, schedule: &Schedule) -> Fault {
    let kinds = [Trouble::WrongPassword, Trouble::NoPermission, Trouble::Certificate];
    let trouble = *random.choice(&kinds).unwrap_or(&Trouble::NoPermission);
    let serving: Vec<usize> =
        (0..schedule.layout.servers()).filter(|role| schedule.layout.serves(*role)).collect();
    let server = *random.choice(&serving).unwrap_or(&0);
    Fault::Reject(server, trouble, ms(random.u64(100..3000)))
}
