//! Gates: the twin of the gates in `lua/head.lua`, which explains them. They are in a separate table, so that the entry of a
//! limit stays small. A decision looks here only if its limit blocks or a gate exists.

use super::table::{Number, Table};
use super::terms::{Now, Terms};
use super::verdict::Verdict;
use crate::limit::Limit;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The gates of keys, by the hashes of the keys. The caller holds the lock of the key's number, so two requests on one key do not
/// change its gate at once.
pub(super) struct Gates {
    /// The table is made with the first gate, because few processes have any.
    table: OnceLock<Table<u64>>,
    max_keys: usize,
    /// When the last gate is forgotten, in ms. Zero if there has been none.
    latest: AtomicU64,
}

/// Refuses the requests of a key until its end. Times are in ms of the clock.
#[derive(Clone, Copy, Default)]
pub(super) struct Gate {
    is_pause: bool,
    /// How many blocks have followed each other.
    level: usize,
    end: u64,
    /// When the gate is forgotten, which is not before its end.
    kept: u64,
}

/// The bits of a number's value below the time from the end of a gate until it is forgotten.
const LEVEL_BITS: u32 = 8;

impl Gates {
    pub(super) fn new(max_keys: usize) -> Self {
        Self { table: OnceLock::new(), max_keys, latest: AtomicU64::new(0) }
    }

    pub(super) fn bytes(&self) -> usize {
        self.table.get().map_or(0, Table::bytes)
    }

    pub(super) fn evictions(&self) -> u64 {
        self.table.get().map_or(0, Table::evictions)
    }

    /// Whether a request may meet a gate, or close one.
    #[inline]
    pub(super) fn may_close(&self, limit: &Limit, now: Now) -> bool {
        !limit.block_steps().is_none() || self.latest.load(Ordering::Relaxed) > now.ms
    }

    /// The gate that a request meets. A request that meets a block cannot wait.
    pub(super) fn meet(&self, terms: &mut Terms<'_>, hash: u64, now: Now) -> Gate {
        if !self.may_close(terms.limit, now) || terms.limit.refuses_all() {
            return Gate::default();
        }
        let gate = self.get(hash, now);
        if gate.is_closed(now) && !gate.is_pause {
            terms.longest_wait = 0;
        }
        gate
    }

    /// Closes the gate that a request has met, if the request is refused and its limit blocks. Returns the gate.
    pub(super) fn refused(
        &self,
        gate: Gate,
        verdict: &Verdict,
        terms: &Terms<'_>,
        hash: u64,
        now: Now,
    ) -> Gate {
        let block = terms.limit.block_steps();
        let refuses = verdict.wait_ms.is_some_and(|wait| wait > terms.longest_wait);
        if !refuses || gate.is_closed(now) {
            return gate;
        }
        let (level, steps) = (gate.level, block.steps_ms().count());
        let end = now.ms + block.step_ms(level);
        let level = (level + 1).min(steps);
        let closed = Gate { is_pause: false, level, end, kept: end + block.longest_ms() };
        self.set(hash, closed, terms.limit, now);
        closed
    }

    /// Closes the gate for this time. The level stays. Returns the gate that was there.
    pub(super) fn block(&self, hash: u64, ms: u64, limit: &Limit, now: Now) -> Gate {
        let gate = self.get(hash, now);
        let end = now.ms + ms;
        self.set(hash, Gate { is_pause: false, end, kept: gate.kept.max(end), ..gate }, limit, now);
        gate
    }

    /// Closes the gate for this time, or leaves it closed for longer. Requests may then wait for its end. Returns the gate that was
    /// there, and for how long it is closed now.
    pub(super) fn pause(&self, hash: u64, ms: u64, limit: &Limit, now: Now) -> (Gate, u64) {
        let gate = self.get(hash, now);
        let left = ms.max(gate.end.saturating_sub(now.ms));
        let is_blocked = gate.is_closed(now) && !gate.is_pause && gate.end - now.ms >= ms;
        let end = now.ms + left;
        self.set(hash, Gate { is_pause: !is_blocked, end, kept: gate.kept.max(end), ..gate }, limit, now);
        (gate, left)
    }

    /// The time in ms until the gate opens.
    pub(super) fn left(&self, hash: u64, now: Now) -> u64 {
        self.get(hash, now).end.saturating_sub(now.ms)
    }

    /// Removes the gate and its level. Returns whether it was closed.
    pub(super) fn open(&self, hash: u64, now: Now) -> bool {
        let was_closed = self.get(hash, now).is_closed(now);
        self.remove(hash, now);
        was_closed
    }

    /// Removes the gate. Returns whether there was one.
    pub(super) fn remove(&self, hash: u64, now: Now) -> bool {
        self.table.get().is_some_and(|table| table.lock(hash).entry(hash, now.ms).remove())
    }

    /// The gate, or an open one without a level.
    fn get(&self, hash: u64, now: Now) -> Gate {
        let number = self.table.get().and_then(|table| table.lock(hash).entry(hash, now.ms).number());
        number.filter(|number| number.deadline > now.ms).map_or_else(Gate::default, Gate::of)
    }

    fn set(&self, hash: u64, gate: Gate, limit: &Limit, now: Now) {
        let value =
            (gate.kept - gate.end) << LEVEL_BITS | (gate.level as u64) << 1 | u64::from(gate.is_pause);
        let number = Number { value, deadline: gate.kept };
        let table = self.table.get_or_init(|| Table::new(self.max_keys, 0));
        table.lock(hash).entry(hash, now.ms).set_number(number, limit, 0);
        self.latest.fetch_max(gate.kept, Ordering::Relaxed);
    }
}

impl Gate {
    fn of(Number { value, deadline }: Number) -> Self {
        let level = usize::from(value.to_le_bytes()[0] >> 1);
        Self { is_pause: value % 2 == 1, level, end: deadline - (value >> LEVEL_BITS), kept: deadline }
    }

    /// Whether it takes the place of no other gate, which is forgotten or was never there.
    pub(super) fn is_none(&self) -> bool {
        self.kept == 0
    }

    fn is_closed(&self, now: Now) -> bool {
        self.end > now.ms
    }

    /// The decision behind a closed gate: nothing is free before its end.
    pub(super) fn shown(&self, verdict: Verdict, now: Now) -> Verdict {
        if !self.is_closed(now) {
            return verdict;
        }
        let left = self.end - now.ms;
        let wait_ms = verdict.wait_ms.map(|wait| wait.max(left));
        Verdict { wait_ms, room: 0, reset_ms: verdict.reset_ms.max(left), ..verdict }
    }
}
