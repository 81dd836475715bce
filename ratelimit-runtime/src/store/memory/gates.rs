//! Gates: the twin of the gates in `lua/head.lua`, which explains them. They are in a separate table, so that the entry of a
//! limit stays small. A decision reads this table only if its limit has a block, or if any gate exists.
//!
//! A function that changes a gate is called while the entry of the key is locked in the table of numbers, which holds the
//! states. So two requests on one key do not change its gate at the same time.

use super::MemoryStore;
use super::table::Entry;
use super::terms::{Terms, Verdict};
use crate::clock::Clock;
use crate::limit::Limit;
use std::sync::atomic::Ordering;

/// Refuses the requests of a key until its end. Times are in ms of the clock.
#[derive(Clone, Copy, Default)]
pub(super) struct Gate {
    is_pause: bool,
    /// The number of blocks that have followed each other.
    level: usize,
    end: u64,
    /// The time at which the gate is forgotten, which is not before its end.
    kept: u64,
}

/// The number of low bits in an entry's value. They hold the level and the kind of the gate. The higher bits hold the time from
/// the end of the gate until the gate is forgotten.
const LEVEL_BITS: u32 = 8;

impl<C: Clock> MemoryStore<C> {
    /// Returns whether a request may find a gate, or create one.
    #[inline]
    pub(super) fn may_close(&self, limit: &Limit, now: u64) -> bool {
        !limit.block_steps().is_none() || self.gates_kept.load(Ordering::Relaxed) > now
    }

    /// Returns the gate of a request's key. If the gate is a block that has not ended, the request must not wait, so the
    /// longest wait of the request becomes 0.
    pub(super) fn meet_gate(&self, terms: &mut Terms<'_>) -> Gate {
        if !self.may_close(terms.limit, terms.now) || terms.limit.refuses_all() {
            return Gate::default();
        }
        let gate = self.gate(terms);
        if gate.left(terms.now) > 0 && !gate.is_pause {
            terms.longest_wait = 0;
        }
        gate
    }

    /// Closes the gate of a request's key if three conditions hold: the gate is open, the request is refused, and the limit has
    /// a block. Returns the resulting gate.
    pub(super) fn close_gate(&self, gate: Gate, verdict: &Verdict, terms: &Terms<'_>) -> Gate {
        let (block, now) = (terms.limit.block_steps(), terms.now);
        let refuses = verdict.wait_ms.is_some_and(|wait| wait > terms.longest_wait);
        let closes = refuses && terms.charges() && !terms.keeps() && !block.is_none();
        if !closes || gate.left(now) > 0 {
            return gate;
        }
        let end = now + block.step_ms(gate.level);
        let level = (gate.level + 1).min(block.steps_ms().count());
        self.set_gate(Gate { is_pause: false, level, end, kept: end + block.longest_ms() }, terms)
    }

    /// Closes the gate for `ms` ms as a block. The level does not change. Returns the gate as it was before.
    pub(super) fn block(&self, ms: u64, terms: &Terms<'_>) -> Gate {
        let (gate, end) = (self.gate(terms), terms.now + ms);
        self.set_gate(Gate { is_pause: false, end, kept: gate.kept.max(end), ..gate }, terms);
        gate
    }

    /// Closes the gate for at least `ms` ms as a pause, so that requests may wait for its end. A gate that is closed for longer
    /// keeps its end, and a block that lasts longer stays a block. Returns the gate as it was before, and the time in ms until
    /// it opens.
    pub(super) fn pause(&self, ms: u64, terms: &Terms<'_>) -> (Gate, u64) {
        let gate = self.gate(terms);
        let left = ms.max(gate.left(terms.now));
        let is_blocked = !gate.is_pause && gate.left(terms.now) >= ms;
        let end = terms.now + left;
        self.set_gate(Gate { is_pause: !is_blocked, end, kept: gate.kept.max(end), ..gate }, terms);
        (gate, left)
    }

    /// Removes the gate and its level. Returns whether the gate was closed.
    pub(super) fn open_gate(&self, terms: &Terms<'_>) -> bool {
        let was_closed = self.gate(terms).left(terms.now) > 0;
        self.gates.update(terms.hash, terms.now, Entry::clear);
        was_closed
    }

    /// Returns the gate of the key. A key without a gate has an open gate of level 0.
    pub(super) fn gate(&self, terms: &Terms<'_>) -> Gate {
        let gate = self.gates.update(terms.hash, terms.now, |entry| Gate::of(entry));
        if gate.kept > terms.now { gate } else { Gate::default() }
    }

    fn set_gate(&self, gate: Gate, terms: &Terms<'_>) -> Gate {
        let value =
            (gate.kept - gate.end) << LEVEL_BITS | (gate.level as u64) << 1 | u64::from(gate.is_pause);
        self.gates.update(terms.hash, terms.now, |entry| entry.set(value, gate.kept, terms.limit, 0));
        self.gates_kept.fetch_max(gate.kept, Ordering::Relaxed);
        gate
    }
}

impl Gate {
    fn of(entry: &Entry<u64>) -> Self {
        let (value, kept) = (entry.value, entry.deadline());
        let level = usize::from(value.to_le_bytes()[0] >> 1);
        Self { is_pause: value % 2 == 1, level, end: kept - (value >> LEVEL_BITS), kept }
    }

    /// Returns whether there is no gate, because it was forgotten or never existed.
    pub(super) fn is_none(&self) -> bool {
        self.kept == 0
    }

    /// Returns the time in ms until the gate opens.
    pub(super) fn left(&self, now: u64) -> u64 {
        self.end.saturating_sub(now)
    }

    /// Returns the verdict with the effect of the gate: while the gate is closed, nothing is free before its end.
    pub(super) fn shown(&self, verdict: Verdict, now: u64) -> Verdict {
        let left = self.left(now);
        if left == 0 {
            return verdict;
        }
        let wait_ms = verdict.wait_ms.map(|wait| wait.max(left));
        Verdict { wait_ms, room: 0, reset_ms: verdict.reset_ms.max(left), ..verdict }
    }
}
