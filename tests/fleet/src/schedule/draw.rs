//! Draws a schedule from a seed.

use super::newer::Newer;
use super::users::Users;
use super::{
    CALLERS, CLOSING, Call, Change, Event, FailOver, Fault, How, Kind, Layout, NOBODY, Schedule, Step, TAGS,
    Then,
};
use crate::server::{LinkFault, Trouble};
use fastrand::Rng;
use ratelimit::Limit;
use ratelimit::overrides::LimitChange;
use std::time::Duration;

impl Schedule {
    /// Draws the schedule of a seed.
    pub(crate) fn draw(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let processes = random.usize(1..=4);
        let mut limits: Vec<Limit> = (0..random.usize(1..=3)).map(|_| limit(&mut random)).collect();
        let layout = match random.u8(..4) {
            0 => Layout::Sentinels,
            1 => Layout::Cluster { any_slot: random.bool() },
            _ => Layout::One,
        };
        // With several servers, the first call opens several connections and therefore needs a longer deadline.
        let deadlines = if layout == Layout::One { [50, 100, 250] } else { [150, 200, 250] };
        let deadline = Duration::from_millis(*random.choice(&deadlines).unwrap_or(&250));
        let faults = random.choice([0, 2, 6, 15]).unwrap_or(2);
        let changes = random.choice([0, 0, 3, 15]).unwrap_or(0);
        let (mut is_slow, mut faults, mut changes) = (random.u8(..8) == 0, faults, changes);
        let mut busy = busy(&mut random, &limits);
        if random.u8(..12) == 0 {
            // In one of twelve runs, calls wait for turns and the limit may change, but there are no faults.
            limits[0] = waiting(&mut random);
            busy = Some((0, limits[0].time() / limits[0].count() / random.u32(1..=3)));
            (is_slow, faults, changes) = (false, 0, *random.choice(&[0, 15]).unwrap_or(&0));
        }
        let mut newer = Newer::of(seed);
        if let Some(limit) = newer.first {
            limits[0] = limit;
            busy = limit.blocks().next().map(|_| (0, limit.time() / limit.count()));
        }
        let mut users = Users::of(seed, &limits);
        let mut at = Duration::ZERO;
        let mut steps = Vec::new();
        for _ in 0..random.usize(20..250) {
            at += pause(&mut random, busy);
            let is_fault = random.u32(..100) < faults;
            let event = if random.u32(..300) == 0 {
                let night = Duration::from_secs(random.u64(60..1_000_000));
                at += CLOSING;
                let event = Event::Night(night);
                steps.push(Step { at, event });
                at += night;
                continue;
            } else if is_fault {
                Event::Fault(fault(&mut random, processes, layout))
            } else if random.u32(..200) == 0 {
                Event::Retire(random.usize(..processes))
            } else if random.u32(..100) < changes {
                let change = change(&mut random, processes, limits.len());
                if random.bool() {
                    // Another process changes the same limit at nearly the same time.
                    let (process, limit) = (random.usize(..processes), change.limit);
                    let other =
                        Change { process, limit, ..self::change(&mut random, processes, limits.len()) };
                    steps.push(Step { at, event: Event::Change(other) });
                    at += Duration::from_micros(random.u64(..4000));
                }
                Event::Change(users.expire(change))
            } else {
                Event::Call(users.change(newer.keep(call(&mut random, processes, &limits, busy)), &limits))
            };
            steps.push(Step { at, event });
        }
        let (policy, epoch) = (users.policy, users.epoch);
        Self { seed, layout, processes, deadline, policy, epoch, is_slow, limits, steps }
            .with_meetings()
            .with_operations()
    }
}

/// The index of a busy limit, and the average pause between two of its calls. Several calls come in each of the limit's
/// periods.
type Busy = Option<(usize, Duration)>;

/// Makes a limit busy in one of three runs, if its period is short.
fn busy(random: &mut Rng, limits: &[Limit]) -> Busy {
    let at = random.usize(..limits.len());
    let pause = limits[at].time() / limits[at].count().max(1) / random.u32(1..=3);
    (random.u8(..3) == 0 && pause < Duration::from_millis(150)).then_some((at, pause))
}

/// Draws the pause before the next event. Most calls come in bursts.
fn pause(random: &mut Rng, busy: Busy) -> Duration {
    if let Some((_, pause)) = busy {
        let micros = u64::try_from(pause.as_micros()).unwrap_or(u64::MAX);
        return Duration::from_micros(random.u64(..=2 * micros));
    }
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
    let limit = match random.u8(..10) {
        0 | 1 => Limit::counter(count, time),
        2 => Limit::token_bucket(count, time),
        3 => Limit::sliding_window(count, time),
        4 => Limit::sliding_log(count, time),
        5 => Limit::leaky_bucket(count, time),
        6 => Limit::concurrency(count, Duration::from_secs(random.u64(1..60))),
        _ => {
            let count = count * *random.choice(&[1, 2, 4, 20]).unwrap_or(&20);
            let leased = Limit::counter(count, time);
            let leased = leased.try_lease(random.u32(1..=count.min(8))).unwrap_or(leased);
            let short = LimitChange::new().time(Duration::from_millis(random.u64(50..2000)));
            if random.bool() { short.apply(&leased).unwrap_or(leased) } else { leased }
        }
    };
    let wait = Duration::from_millis(random.u64(1..3000));
    if random.u8(..4) == 0 { limit.try_wait(wait).unwrap_or(limit) } else { limit }
}

/// Draws a limit with a short period, whose calls may wait for several periods.
fn waiting(random: &mut Rng) -> Limit {
    let (count, time) = (random.u32(1..=6), Duration::from_millis(random.u64(100..1000)));
    let limit = match random.u8(..8) {
        0 => Limit::counter(count, time),
        1 => Limit::token_bucket(count, time),
        2 => Limit::leaky_bucket(count, time),
        3..6 => Limit::sliding_window(count, time),
        _ => Limit::sliding_log(count, time),
    };
    limit.try_wait(Duration::from_millis(random.u64(1000..3000))).unwrap_or(limit)
}

fn call(random: &mut Rng, processes: usize, limits: &[Limit], busy: Busy) -> Call {
    let busy = busy.filter(|_| random.u8(..8) > 0);
    let limit = busy.map_or_else(|| random.usize(..limits.len()), |(limit, _)| limit);
    let kind = if limits[limit].is_concurrency() {
        Kind::Permit { held: Duration::from_millis(random.u64(..4000)) }
    } else {
        let may_wait = !limits[limit].longest_wait().is_zero();
        match random.u8(..8) {
            0 | 1 => Kind::Acquire,
            4.. if may_wait => Kind::Acquire,
            2 => Kind::Charge { then: then(random) },
            3 => Kind::Stack { with: random.usize(..limits.len()), beside: false },
            _ => Kind::Check,
        }
    };
    // A stack has each limit at most once, and no concurrency limit.
    let kind = match kind {
        Kind::Stack { with, .. } if with == limit || limits[with].is_concurrency() => Kind::Check,
        kind => kind,
    };
    let cost = if random.u8(..5) == 0 { random.u32(0..=3) } else { 1 };
    let dropped_after = (random.u8(..20) == 0).then(|| Duration::from_micros(random.u64(..3000)));
    let who = if busy.is_some() { 0 } else { *random.choice(&[0, 0, 1, NOBODY]).unwrap_or(&0) };
    debug_assert!(who < CALLERS);
    Call { process: random.usize(..processes), limit, who, cost, keep: 0, kind, dropped_after }
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

fn fault(random: &mut Rng, processes: usize, layout: Layout) -> Fault {
    let (process, server) = (random.usize(..processes), random.usize(..layout.servers()));
    let time = Duration::from_millis(random.u64(1..3000));
    let link = |random: &mut Rng, fault| Fault::Link { process, server, after: random.u8(..4), fault };
    match (layout, random.u8(..3)) {
        (Layout::Sentinels, 0) => return fail_over(random, 0),
        (Layout::Cluster { .. }, 0) => {
            let node = random.usize(..3);
            return fail_over(random, node);
        }
        (Layout::Cluster { .. }, 1) => return slot_move(random),
        _ => {}
    }
    match random.u8(..18) {
        0..3 => link(random, LinkFault::LoseReply),
        3 => link(random, LinkFault::Reset),
        4 => link(random, LinkFault::HalfReply),
        5 => link(random, LinkFault::SlowReply),
        6 => Fault::Silence { process, server: Some(server), time },
        7 => Fault::Silence { process, server: None, time },
        8 | 9 => Fault::Stall(server, time),
        10 => Fault::Reject(server, Trouble::Loading, time),
        11 => Fault::Reject(server, Trouble::OutOfMemory, time),
        12 => Fault::Reject(server, Trouble::ReadOnly, time),
        13 if layout == Layout::One => Fault::Reject(server, Trouble::NoReplicas, time),
        13 => Fault::Reject(server, Trouble::ClusterDown, time),
        14 => Fault::ForgetScripts(server),
        15 => Fault::Restart { server, down: time, keeps_keys: random.bool() },
        16 => Fault::Clock { micros: random.i64(-2_000_000..5_000_000) },
        _ => Fault::Kill(process),
    }
}

fn fail_over(random: &mut Rng, server: usize) -> Fault {
    let ms = |random: &mut Rng, most| Duration::from_millis(random.u64(..most));
    let how = match random.u8(..4) {
        0 | 1 => FailOver::Planned { hangs_up: random.bool() },
        2 => FailOver::Crash { lost: ms(random, 1000), down: ms(random, 3000) },
        _ => FailOver::Split { lost: ms(random, 1000), lasts: ms(random, 2000) },
    };
    Fault::FailOver { server, how, lag: ms(random, 300) }
}

fn slot_move(random: &mut Rng) -> Fault {
    let tag = random.choice(TAGS).unwrap_or("#");
    let longest = *random.choice(&[40, 1000]).unwrap_or(&40);
    let (time, lag) =
        (Duration::from_millis(random.u64(1..longest)), Duration::from_millis(random.u64(..200)));
    Fault::Move { tag, to: random.usize(..3), time, lag }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratelimit::Algorithm;

    #[test]
    fn each_algorithm_is_drawn() {
        let mut random = Rng::with_seed(1);
        let drawn: Vec<Algorithm> = (0..1000).map(|_| limit(&mut random).algorithm()).collect();
        assert!(Algorithm::ALL.iter().all(|algorithm| drawn.contains(algorithm)));
    }
}
