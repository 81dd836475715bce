//! A simulated server with workers and a queue, and the calls that reach it.

use crate::adaptive::{Adaptive, Began, End};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// Random numbers, the same for the same seed (xorshift64*).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x0123_4567);
        (0..8).for_each(|_| _ = random.unit());
        random
    }

    pub(super) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        (f64::from(u32::try_from(bits).unwrap()) + 0.5) / 2f64.powi(32)
    }

    pub(super) fn exponential(&mut self) -> f64 {
        -self.unit().ln()
    }

    /// A log-normal number with the mean 1.
    pub(super) fn log_normal(&mut self, sigma: f64) -> f64 {
        let normal = (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos();
        (sigma * normal - sigma * sigma / 2.0).exp()
    }
}

/// A server and its load.
#[derive(Clone, Copy)]
pub(super) struct Scene {
    pub(super) name: &'static str,
    /// The workers at a time, in seconds from the start.
    pub(super) workers: fn(f64) -> usize,
    /// The seconds that a worker needs for a call.
    pub(super) work: fn(f64, &mut Random) -> f64,
    /// The mean of `work`.
    pub(super) mean: fn(f64) -> f64,
    /// The important calls, as a share of the capacity at the start.
    pub(super) important: f64,
    /// The share of the important calls that have to pass.
    pub(super) passes: f64,
}

/// What the users felt.
#[derive(Debug)]
pub(super) struct Felt {
    /// The 99th percentile of the latencies in the worst ten seconds, as a multiple of that of an idle server.
    pub(super) waiting: f64,
    /// The calls that were served, as a share of those that the server could serve.
    pub(super) used: f64,
    /// The share of the important calls that passed.
    pub(super) important: f64,
}

struct Call {
    important: bool,
    began: Began,
    work: f64,
}

const SLICE: f64 = 10.0;

/// Runs the server with `load` times as many calls as it can serve at the start.
pub(super) fn run(scene: Scene, load: f64, seconds: f64, seed: u64) -> Felt {
    let (limit, mut random, start) = (Adaptive::new(scene.name, 400), Random::new(seed), Instant::now());
    let at = |now: f64| start + Duration::from_secs_f64(now);
    let capacity = |now: f64| precise((scene.workers)(now)) / (scene.mean)(now);
    let rate = load * capacity(0.0);
    let (mut calls, mut queue) = (Vec::<Call>::new(), VecDeque::new());
    let (mut ends, mut busy) = (BinaryHeap::new(), 0);
    let (mut next, mut slice) = (random.exponential() / rate, (0.0, Vec::new(), Vec::new()));
    let mut felt = Felt { waiting: 0.0, used: 0.0, important: 0.0 };
    let (mut attainable, mut asked) = (0.0, 0.0);
    loop {
        let end = ends.peek().map_or(f64::INFINITY, |Reverse((end, _))| seconds_of(*end));
        let now = end.min(next);
        if now > slice.0 + SLICE {
            felt.waiting = felt.waiting.max(p99(&mut slice.1) / p99(&mut slice.2));
            slice = (slice.0 + SLICE, Vec::new(), Vec::new());
        }
        if now > seconds {
            break;
        }
        if end <= next {
            let Some(Reverse((_, id))) = ends.pop() else { break };
            let call: &Call = &calls[id];
            limit.end_at(call.began, End::Succeeded, at(now));
            slice.1.push((at(now) - call.began.at).as_secs_f64());
            slice.2.push(call.work);
            felt.used += 1.0;
            busy -= 1;
        } else {
            attainable += capacity(now).min(rate) / rate;
            next += random.exponential() / rate;
            let important = random.unit() < scene.important / load;
            asked += f64::from(u8::from(important));
            if let Some(began) = limit.admit_at(if important { 0 } else { 48 }, at(now)) {
                queue.push_back(calls.len());
                calls.push(Call { important, began, work: (scene.work)(now, &mut random) });
                felt.important += f64::from(u8::from(important));
            }
        }
        while busy < (scene.workers)(now)
            && let Some(id) = queue.pop_front()
        {
            busy += 1;
            ends.push(Reverse((nanos_of(now + calls[id].work), id)));
        }
    }
    debug_assert!(calls.iter().any(|call| call.important));
    felt.used /= attainable;
    felt.important /= asked;
    felt
}

fn p99(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() * 99 / 100).copied().unwrap_or(f64::NAN)
}

fn precise(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap())
}

fn nanos_of(seconds: f64) -> u128 {
    Duration::from_secs_f64(seconds).as_nanos()
}

fn seconds_of(nanos: u128) -> f64 {
    Duration::from_nanos(u64::try_from(nanos).unwrap()).as_secs_f64()
}
