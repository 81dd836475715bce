//! Draws events that rarely coincide by chance: a call, and a fault at its most dangerous moment. They have separate random
//! numbers, so that all other runs stay the same.

use super::{Call, Event, Fault, Kind, Layout, Schedule, Step, TAGS};
use crate::server::LinkFault;
use fastrand::Rng;
use ratelimit::Limit;
use std::time::Duration;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A call by a process that takes one unit of the first limit.
const fn check(process: usize) -> Call {
    Call { process, limit: 0, who: 0, cost: 1, keep: 0, kind: Kind::Check, dropped_after: None }
}

impl Schedule {
    /// Adds calls that coincide with faults to one of eight runs, or to one of four runs if there is only one server.
    pub(super) fn with_meetings(mut self) -> Self {
        let mut random = Rng::with_seed(!self.seed);
        match (random.u8(..8), self.layout) {
            (0, Layout::One) => self.lease(&mut random),
            (0, Layout::Sentinels) => self.stop_first_sentinel(),
            (0, Layout::Cluster { .. }) => self.move_stacks(&mut random),
            (1, Layout::One) => self.lose_replies(&mut random),
            _ => {}
        }
        self
    }

    /// Draws bursts of calls, and loses some of the replies. No unit comes back during the run, so a second charge for the same
    /// call stays visible.
    fn lose_replies(&mut self, random: &mut Rng) {
        self.limits = vec![Limit::counter(random.u32(50..100), Duration::from_secs(30 * 86_400))];
        (self.steps, self.is_slow) = (Vec::new(), false);
        let mut at = Duration::ZERO;
        for _ in 0..random.usize(3..10) {
            let process = random.usize(..self.processes);
            let (after, fault) = (random.u8(..3), LinkFault::LoseReply);
            self.steps
                .push(Step { at, event: Event::Fault(Fault::Link { process, server: 0, after, fault }) });
            for _ in 0..random.u32(2..8) {
                self.steps.push(Step { at, event: Event::Call(check(process)) });
                at += Duration::from_micros(random.u64(..500));
            }
            at += ms(random.u64(500..2000));
        }
    }

    /// Stops the sentinel that the processes ask first, while they connect.
    fn stop_first_sentinel(&mut self) {
        let event = Event::Fault(Fault::Restart { server: 2, down: ms(3000), keeps_keys: true });
        self.steps.insert(0, Step { at: Duration::ZERO, event });
    }

    /// Draws stacks and batches of calls that are decided while the slot of their keys moves.
    fn move_stacks(&mut self, random: &mut Rng) {
        let stacked: Vec<usize> =
            (0..self.limits.len()).filter(|at| !self.limits[*at].is_concurrency()).collect();
        let [limit, with, ..] = stacked[..] else { return };
        let mut at = self.length() + ms(5000);
        for to in [0, 1, 2, 0, 1, 2] {
            let (who, process) = (random.u8(..2), random.usize(..self.processes));
            let tag = TAGS[usize::from(who)];
            let fault = Fault::Move { tag, to, time: ms(30), lag: ms(random.u64(..50)) };
            let call = Call { limit, who, kind: Kind::Stack { with, beside: false }, ..check(process) };
            self.steps.push(Step { at, event: Event::Call(call) });
            self.steps.push(Step { at: at + ms(10), event: Event::Fault(fault) });
            let during = (0..20).map(|call| at + ms(10 + 2 * call));
            let single = |who| Call { who, kind: Kind::Check, ..call };
            let calls = [call, single(0), single(1)].map(Event::Call);
            self.steps.extend(during.flat_map(|at| calls.clone().map(|event| Step { at, event })));
            at += ms(4000);
        }
    }

    /// Draws a leased limit, and bursts of calls by one process at a time. Between the bursts, windows end or processes shut
    /// down. In some runs, the server stalls twice in each burst. The second stall delays a later fetch of leased units.
    fn lease(&mut self, random: &mut Rng) {
        let (is_short, stalls) = (random.bool(), random.u8(..3) == 0);
        let time = if is_short { ms(random.u64(100..400)) } else { Duration::from_secs(30 * 86_400) };
        let limit = Limit::counter(random.u32(6..30) * if is_short { 1 } else { 20 }, time);
        self.limits = vec![limit.try_lease(random.u32(4..=6)).unwrap_or(limit)];
        (self.steps, self.is_slow) = (Vec::new(), false);
        let mut at = Duration::ZERO;
        for _ in 0..random.usize(5..20) {
            let process = random.usize(..self.processes);
            let stall = |at, time| Step { at, event: Event::Fault(Fault::Stall(0, time)) };
            if stalls {
                self.steps.push(stall(at, ms(30)));
            }
            for _ in 0..random.u32(3..20) {
                self.steps.push(Step { at, event: Event::Call(check(process)) });
                at += Duration::from_micros(random.u64(..if stalls { 500 } else { 5000 }));
            }
            if stalls {
                at += ms(30);
                self.steps.push(stall(at, ms(random.u64(50..300))));
                at += ms(3000);
            } else if random.u8(..3) == 0 {
                self.steps.push(Step { at, event: Event::Retire(process) });
            }
            at += ms(random.u64(..200));
        }
    }
}
