//! Shares of the callers of one bucket: the twin of `lua/fair.lua`, which explains them. They are in a separate table, which is read
//! only if a request has a caller and finds units scarce.
//!
//! All functions are called while the entry of the bucket is locked in the table of numbers.

use super::MemoryStore;
use super::table::{Entry, Value};
use super::terms::{Terms, Verdict};
use crate::clock::Clock;
use crate::limit::Limit;
use std::collections::HashMap;

/// A unit is this many grains of use.
const GRAINS: u64 = 60;
/// A round ends when its use is this many grains for each active caller: 24 units.
const ROUND: u64 = 24 * GRAINS;
/// A caller with this use leaves half of the largest reserve.
const KNEE: u64 = ROUND / 3;
const LARGE: u64 = 64 * KNEE;
/// The number of callers in a round that are counted by themselves, and the number of groups of all further callers.
const CALLERS: u64 = 1024;
const GROUPS: u64 = 256;

/// A caller, or a group of callers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Field {
    Caller(u64),
    Group(u64),
}

/// The use of a caller in a round, in grains.
#[derive(Clone, Copy)]
struct Use {
    grains: u64,
    /// The start of the last window in which the caller has asked, in ms of the clock.
    seen: u64,
    /// The use in the round before that a caller is assumed to have had that joined in this round.
    older: u64,
}

/// Numbers of all callers together.
#[derive(Clone, Copy, Default)]
struct Sums {
    total: u64,
    total_before: u64,
    /// The number of callers in the two rounds, and in the current one.
    callers: u64,
    fields: u64,
    /// The start of the last window, and the number of callers that have asked in it and in the window before.
    at: u64,
    asked: u64,
    asked_before: u64,
}

/// The shares of the callers of a bucket, or nothing.
#[derive(Default)]
pub(super) struct Shares(Option<Box<Rounds>>);

type Callers = HashMap<Field, Use>;

#[derive(Default)]
struct Rounds {
    sums: Sums,
    now: Callers,
    before: Callers,
}

/// The share of a request's caller, before the request is charged.
pub(super) struct Share {
    /// Whether the bucket is full, so that the callers start afresh.
    is_full: bool,
    /// `None` if units are not scarce, so that nothing is counted.
    call: Option<Call>,
}

impl Share {
    /// Whether the caller may have to leave units to the others.
    pub(super) fn is_counted(&self) -> bool {
        self.call.is_some()
    }
}

/// A call that is counted. [`Rounds`] change only when it is noted.
struct Call {
    field: Field,
    sums: Sums,
    /// Whether a new round begins with the call.
    rolls: bool,
    /// Whether the state is too old to count.
    forgets: bool,
    is_new: bool,
    own: u64,
    past: u64,
    window: u64,
    /// The units that the call leaves to the other callers.
    left: u64,
}

impl Value for Shares {
    fn weight(&self) -> usize {
        let fields = |rounds: &Rounds| rounds.now.capacity() + rounds.before.capacity();
        self.0
            .as_ref()
            .map_or(0, |rounds| size_of::<Rounds>() + fields(rounds) * (size_of::<(Field, Use)>() + 1))
    }
}

impl Sums {
    /// Returns the grains of a round.
    fn round(&self) -> u64 {
        ROUND * self.asked.max(self.asked_before).min(self.callers).max(1)
    }
}

/// Returns the time in ms for which shares are kept after they were last needed, without the window of that time.
fn life_ms(limit: &Limit) -> u64 {
    2 * limit.longest_reset_ms() + 1000 + limit.time_ms()
}

impl Rounds {
    fn judge(&self, caller: u64, terms: &Terms<'_>) -> Call {
        let (limit, now) = (terms.limit, terms.now);
        let (span, mut sums) = (limit.time_ms(), self.sums);
        let window = now - now % span;
        let forgets = sums.callers > 0 && now > sums.at + life_ms(limit);
        if forgets {
            sums = Sums::default();
        }
        let last = sums.at - sums.at % span;
        if last != window {
            sums.asked_before = if last + span == window { sums.asked } else { 0 };
            sums.asked = 0;
        }
        sums.at = window;
        let rolls = sums.callers > 0 && sums.total >= sums.round();
        if rolls {
            sums = Sums { total_before: sums.total, total: 0, callers: sums.fields, fields: 0, ..sums };
        }
        let [known_now, known_before] = self.known(forgets, rolls);
        let mut field = Field::Caller(caller);
        if sums.fields >= CALLERS && !known_now.is_some_and(|known| known.contains_key(&field)) {
            field = Field::Group(caller % GROUPS);
        }
        let current = known_now.and_then(|known| known.get(&field));
        let earlier = known_before.and_then(|known| known.get(&field));
        let is_new = current.is_none() && earlier.is_none();
        let mut own = current.map_or(0, |current| current.grains);
        let mut past = match (current, earlier) {
            (Some(current), _) if current.older > 0 => current.older,
            (_, earlier) => earlier.map_or(0, |earlier| earlier.grains),
        };
        if is_new && sums.callers > 0 {
            (own, past) = (sums.total / sums.callers, sums.total_before / sums.callers);
        }
        let round = sums.round();
        let unused = round.saturating_sub(sums.total);
        let faded = |grains: u64| grains / round * unused + grains % round * unused / round;
        let had = own + faded(past);
        let mut sum = sums.total + faded(sums.total_before);
        let mut number = sums.callers;
        if is_new {
            (number, sum) = (number + 1, sum + had);
        }
        let missing = (number * had).saturating_sub(sum).div_ceil(GRAINS);
        let left = if number < 2 || missing == 0 {
            0
        } else {
            let large = had.min(LARGE).pow(2);
            let most = 1024 * large / (large + KNEE * KNEE) * u64::from(limit.largest_reserve()) / 1024;
            let room = i64::from(limit.capacity()) - terms.needed;
            most.min(missing).min(u64::try_from(room).unwrap_or(0))
        };
        Call { field, sums, rolls, forgets, is_new, own, past, window, left }
    }

    /// Returns the callers of the current round and of the round before.
    fn known(&self, forgets: bool, rolls: bool) -> [Option<&Callers>; 2] {
        match (forgets, rolls) {
            (true, _) => [None, None],
            (false, true) => [None, Some(&self.now)],
            (false, false) => [Some(&self.now), Some(&self.before)],
        }
    }

    /// Counts a call. `cost` is 0 for a refused call.
    fn note(&mut self, call: &Call, passes: bool, cost: u32, span: u64) {
        let [known_now, known_before] = self.known(call.forgets, call.rolls);
        let current = known_now.and_then(|known| known.get(&call.field));
        let seen = current.or_else(|| known_before.and_then(|known| known.get(&call.field)));
        let is_first = seen.is_none_or(|seen| seen.seen - seen.seen % span != call.window);
        if !passes && !is_first && current.is_some() {
            return;
        }
        let seen = if is_first { call.window } else { seen.map_or(call.window, |seen| seen.seen) };
        if call.forgets {
            (self.now, self.before) = Default::default();
        } else if call.rolls {
            self.before = std::mem::take(&mut self.now);
        }
        let mut sums = call.sums;
        sums.asked += u64::from(is_first);
        let is_known = self.now.contains_key(&call.field);
        let mut used = self.now.get(&call.field).copied().unwrap_or(Use { grains: 0, seen, older: 0 });
        if call.is_new {
            used = Use { grains: call.own, seen, older: call.past };
            sums.total += call.own;
            sums.total_before += call.past;
            sums.callers += 1;
        }
        sums.fields += u64::from(!is_known);
        let grains = if passes { u64::from(cost) * GRAINS } else { 0 };
        used.grains += grains;
        used.seen = seen;
        sums.total += grains;
        self.now.insert(call.field, used);
        self.sums = sums;
    }
}

impl<C: Clock> MemoryStore<C> {
    /// Judges the share of a request's caller, if units are scarce, and adds the units that it leaves to the needs of the request.
    /// `verdict` is the verdict of the bucket alone.
    pub(super) fn meet_share(&self, terms: &mut Terms<'_>, verdict: &Verdict) -> Share {
        let capacity = i64::from(terms.limit.capacity());
        let is_scarce = verdict.room < terms.needed + i64::from(terms.limit.largest_reserve());
        let is_full = verdict.room == capacity;
        let call = terms.caller.filter(|_| is_scarce && terms.needed <= capacity).map(|caller| {
            if is_full {
                return Rounds::default().judge(caller, terms);
            }
            self.shares.update(terms.hash, terms.now, |entry| match &entry.value.0 {
                Some(rounds) => rounds.judge(caller, terms),
                None => Rounds::default().judge(caller, terms),
            })
        });
        terms.needed += call.as_ref().map_or(0, |call| i64::try_from(call.left).unwrap_or(0));
        Share { is_full, call }
    }

    /// Counts a request of a caller, which was charged if `passes`.
    pub(super) fn note_share(&self, terms: &Terms<'_>, share: &Share, passes: bool) {
        if share.is_full && passes {
            self.shares.update(terms.hash, terms.now, Entry::clear);
        }
        let Some(call) = &share.call else { return };
        let span = terms.limit.time_ms();
        self.shares.update(terms.hash, terms.now, |entry| {
            let rounds = entry.value.0.get_or_insert_default();
            rounds.note(call, passes, terms.cost, span);
            let end = rounds.sums.at + life_ms(terms.limit) + 1000 + span;
            entry.set_end(end, terms.limit, 0);
        });
        self.shares.shed(terms.now);
    }
}
