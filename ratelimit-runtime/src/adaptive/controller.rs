//! `Controller`: computes the limit from the latencies of calls. It has no clock and no locks, so the same windows give the same limits.
//!
//! A server with c workers that serves more than c calls lets the others wait. The mean latency then grows with the number of calls
//! in flight, and the number of calls that are really served is `in flight * latency without a queue / latency now`. The
//! controller measures all three, and allows a little more than that number, so that no worker is idle.
//!
//! - The latency without a queue comes from groups of calls that met few others. If such calls do not occur by themselves, the
//!   limit is lowered to three quarters of the served number until a group has begun. That takes as long as some tens of calls.
//!   The limit rises again before the group has ended, and the group counts only when its last call has ended: the first calls of a
//!   group to end are always its shortest.
//! - Two groups in a row that differ from the known latency in the same direction replace it. Any other group moves it by a part.
//! - A group is due after some thousand calls, and as soon as the limit has fallen by a quarter or doubled. If the latency rises
//!   because the work itself has become slower, the group shows it, and the limit comes back.

mod groups;

use super::window::{Sums, Window};

/// The wanted number of calls in flight, as a multiple of the calls that are served.
const GAIN: f64 = 1.35;
/// The share of the served calls at which no call waits.
const FREE_SHARE: f64 = 0.75;
/// The same, as a share of the limit: while the limit is small, other calls may use much less than all of it.
const FREE_OF_LIMIT: f64 = 0.5;
/// The calls of a group if all latencies are equal. It grows with the variance.
const GROUP: f64 = 40.0;
/// The most calls of a group, as a multiple of the limit.
const GROUP_OF_LIMIT: f64 = 12.0;
/// The calls between two groups, in groups.
const BETWEEN: f64 = 25.0;
/// The calls over which the latency is averaged if all latencies are equal. It grows with the variance.
const MEMORY: f64 = 150.0;
/// The largest squared coefficient of variation that is used.
const MOST_SPREAD: f64 = 4.0;
/// The share of failed calls from which on the limit does not grow.
const FAILING: f64 = 0.1;
/// The limit before anything is known, and the number of calls of the first group.
const FIRST_LIMIT: f64 = 10.0;
const FIRST_GROUP: f64 = 50.0;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// No group is due.
    Rest,
    /// Calls that meet few others join the group.
    Joining,
    /// The same, and the limit is lowered so that such calls occur.
    Lowered,
    /// The group has begun, but not ended.
    Ending,
}

#[derive(Debug)]
pub(super) struct Controller {
    ceiling: f64,
    limit: f64,
    /// The mean latency without a queue, in seconds. Zero until it is known.
    base: f64,
    /// The squared coefficient of variation of the latencies.
    spread: f64,
    /// The calls of the groups that the base was learned from.
    known: f64,
    /// The calls that are really served.
    served: f64,
    /// Fading sums of the loaded calls: in flight, seconds, and the weight of both.
    in_flight: f64,
    seconds: f64,
    weight: f64,
    failing: f64,
    free: f64,
    phase: Phase,
    /// The calls that may still join the group.
    places: f64,
    size: f64,
    group: Sums,
    lost: f64,
    /// The calls since the phase has begun.
    since: f64,
    /// The direction in which the last group differed: -1, 0 or 1.
    hint: i8,
    /// The groups since the last jump of the base.
    groups: f64,
    /// The limit at the end of the last group.
    mark: f64,
}

impl Controller {
    pub(super) const fn new(ceiling: u32) -> Self {
        let ceiling = ceiling as f64; // `f64::from` is not const
        let limit = if ceiling < FIRST_LIMIT { ceiling } else { FIRST_LIMIT };
        Self {
            ceiling,
            limit,
            base: 0.0,
            spread: 1.0,
            known: 0.0,
            served: limit / FREE_SHARE,
            in_flight: 0.0,
            seconds: 0.0,
            weight: 0.0,
            failing: 0.0,
            free: limit,
            phase: Phase::Joining,
            places: FIRST_GROUP,
            size: FIRST_GROUP,
            group: Sums::NONE,
            lost: 0.0,
            since: 0.0,
            hint: 0,
            groups: 0.0,
            mark: limit,
        }
    }

    /// The limit, in whole calls.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to the ceiling")]
    pub(super) const fn limit(&self) -> u32 {
        self.limit as u32
    }

    /// The number of calls in flight up to which a call joins the group, if places are left.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to the ceiling")]
    pub(super) const fn free(&self) -> u32 {
        self.free as u32
    }

    #[expect(clippy::cast_possible_truncation, reason = "at most some hundred")]
    pub(super) const fn places(&self) -> i64 {
        self.places as i64
    }

    /// Whether the limit is the free level while places are left.
    pub(super) const fn is_lowered(&self) -> bool {
        matches!(self.phase, Phase::Lowered)
    }

    /// Learns from the calls that have ended. `places` are the places of the group that are left. Returns whether a new group
    /// has places now.
    pub(super) fn step(&mut self, window: &Window, places: f64) -> bool {
        self.places = places;
        let all = window.group.calls + window.loaded.calls + window.failed;
        if all > 0.0 {
            self.failing += (window.failed / all - self.failing) * (1.0 - (-all / 100.0).exp());
        }
        self.group.append(&window.group);
        self.lost += window.lost;
        self.since += all;
        let confirms = self.advance();
        self.follow(window) || confirms
    }

    /// Sets the limit. Returns whether a group has begun.
    fn follow(&mut self, window: &Window) -> bool {
        let loaded = &window.loaded;
        if loaded.calls > 0.0 && self.base > 0.0 {
            let kept = (-loaded.calls / (MEMORY * (1.0 + self.spread))).exp();
            self.in_flight = self.in_flight * kept + loaded.in_flight / loaded.calls * (1.0 - kept);
            self.seconds = self.seconds * kept + loaded.seconds / loaded.calls * (1.0 - kept);
            self.weight = self.weight * kept + 1.0 - kept;
        }
        if self.base == 0.0 || self.weight == 0.0 {
            return false;
        }
        // The base may be too low by chance. A limit that is a little too high costs little, and one that is too low lets workers idle.
        let base = self.base * (1.0 + (self.spread / self.known).sqrt());
        let slow = (self.seconds / self.weight / base).max(1.0);
        self.served = self.in_flight / self.weight / slow;
        if self.phase == Phase::Lowered && self.places > 0.0 {
            return false;
        }
        if self.phase == Phase::Rest {
            self.free = self.free_level();
        }
        if !window.reached {
            return false;
        }
        let mut target = self.served * GAIN + self.limit.sqrt();
        if slow < 1.1 {
            target = target.max(self.limit * 1.1); // no queue yet
        }
        if self.failing > FAILING {
            target = target.min(self.limit);
        }
        self.limit = target.clamp(self.limit * 0.7, self.limit * 1.3).max(1.0).min(self.ceiling);
        if self.phase != Phase::Rest {
            return false;
        }
        if self.limit < 0.75 * self.mark || self.limit > 2.0 * self.mark {
            return self.begin(Phase::Lowered);
        }
        // The first groups after a jump follow each other quickly.
        let is_due = self.since > BETWEEN * self.group_size() * (self.groups / 8.0).powi(2).min(1.0);
        is_due && self.begin(Phase::Joining)
    }

    fn free_level(&self) -> f64 {
        (self.served * FREE_SHARE).min(self.limit * FREE_OF_LIMIT).floor().max(2.0).min(self.limit.floor())
    }

    fn group_size(&self) -> f64 {
        (GROUP * (1.0 + self.spread)).min(GROUP_OF_LIMIT * self.limit).max(16.0).floor()
    }
}
