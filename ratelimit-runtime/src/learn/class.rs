//! `Class`: the mean and the variance of the costs of similar calls, and the number of calls in flight.
//!
//! All numbers are atomic, so no call waits for another one. If two calls end at exactly the same time, one of them may be forgotten:
//! the mean of the others is as good, and a call costs half as many locked instructions.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The number of results that are needed before anything is estimated.
const ENOUGH: u32 = 32;
/// The number of results that count. Each result moves the mean by at least this part of the difference.
const MEMORY: u32 = 256;
/// The standard deviations of the mean of the calls in flight that are added to the mean.
const DEVIATIONS: f32 = 2.0;

#[derive(Debug)]
pub(super) struct Class {
    in_flight: AtomicU32,
    /// The number of results, at most [`MEMORY`].
    results: AtomicU32,
    /// The mean in the upper half, and the variance in the lower half, both as `f32`. Together, so that they belong together.
    costs: AtomicU64,
}

impl Class {
    pub(super) const fn new() -> Self {
        Self { in_flight: AtomicU32::new(0), results: AtomicU32::new(0), costs: AtomicU64::new(0) }
    }

    pub(super) fn begin(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn end(&self) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }

    /// Estimates the cost of one more call. `None` while too little is known.
    #[expect(clippy::cast_precision_loss, reason = "the estimate needs no more digits")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "such a cast saturates")]
    pub(super) fn estimate(&self) -> Option<u32> {
        // `learn` stores the costs before the number of results.
        if self.results.load(Ordering::Acquire) < ENOUGH {
            return None;
        }
        let (mean, variance) = unpacked(self.costs.load(Ordering::Relaxed));
        let in_flight = self.in_flight.load(Ordering::Relaxed).saturating_add(1);
        let deviation = (variance / in_flight as f32).sqrt();
        Some((mean + DEVIATIONS * deviation).ceil() as u32)
    }

    /// Learns from a call that has ended. A cost of 0 teaches nothing.
    #[expect(clippy::cast_precision_loss, reason = "the estimate needs no more digits")]
    pub(super) fn learn(&self, cost: u32) {
        if cost == 0 {
            return;
        }
        let results = self.results.load(Ordering::Relaxed);
        let (mean, variance) = unpacked(self.costs.load(Ordering::Relaxed));
        let part = 1.0 / results.saturating_add(1).min(MEMORY) as f32;
        let difference = cost as f32 - mean;
        let next = mean + difference * part;
        let square = difference * (cost as f32 - next);
        let costs = packed(next, (variance + (square - variance) * part).max(0.0));
        self.costs.store(costs, Ordering::Relaxed);
        if results < MEMORY {
            self.results.store(results + 1, Ordering::Release);
        }
    }

    #[cfg(test)]
    pub(super) fn in_flight(&self) -> u32 {
        self.in_flight.load(Ordering::Relaxed)
    }
}

fn packed(mean: f32, variance: f32) -> u64 {
    u64::from(mean.to_bits()) << 32 | u64::from(variance.to_bits())
}

fn unpacked(costs: u64) -> (f32, f32) {
    let [m1, m2, m3, m4, v1, v2, v3, v4] = costs.to_be_bytes();
    (f32::from_be_bytes([m1, m2, m3, m4]), f32::from_be_bytes([v1, v2, v3, v4]))
}
