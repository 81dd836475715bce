//! `LeasedUnits`: the leased units of one key, and the number of units that the next fetch takes.

use crate::clock;
use crate::decision::Decision;
use crate::limit::{Algorithm, Limit};
use crate::limiter::LONGEST_TIME;
use std::time::Duration;
use tokio::time::Instant;

/// Units that no call has used for this time are returned. It is also the longest time for which a refusal is reused.
pub(super) const IDLE: Duration = Duration::from_secs(1);

/// The leased units of one key.
pub(super) struct LeasedUnits {
    pub(super) limit: Limit,
    /// The oldest portion is first, and is used first.
    portions: Vec<Portion>,
    /// When nothing of the limit is in use, by the last decision.
    reset_at: Instant,
    /// The units that remained in the store after the last decision.
    left_in_store: u32,
    /// The size of the next fetch.
    fetch_size: u32,
    /// The units that calls have used since the fetch size was last computed.
    used: u32,
    /// When the store last charged units.
    charged_at: Instant,
    /// When a call last used units.
    used_at: Instant,
    /// Until then the store has no units: each call sends its own request, and none waits for a fetch.
    exhausted_until: Instant,
    /// Until then the store has too few units for a fetch: calls that find no leased units are refused.
    too_few_until: Instant,
    /// The highest cost that is refused until `too_few_until`. The store will have that many units by then.
    refused_cost: u32,
}

/// The unused units of one charge.
struct Portion {
    units: u32,
    /// Finds the charge in the store.
    stamp: u64,
    /// The units are not handed out after this time. They are returned.
    usable_until: Instant,
    /// The store no longer stores the charge after this time, so units cannot be returned.
    charge_ends: Instant,
}

/// Units of a charge that are to be returned.
pub(super) struct Unused {
    pub(super) units: u32,
    pub(super) stamp: u64,
}

impl LeasedUnits {
    pub(super) fn new(limit: Limit) -> Self {
        let now = clock::now();
        Self {
            limit,
            portions: Vec::new(),
            reset_at: now,
            left_in_store: 0,
            fetch_size: 1,
            used: 0,
            charged_at: now,
            used_at: now,
            exhausted_until: now,
            too_few_until: now,
            refused_cost: 0,
        }
    }

    /// Hands out units, the oldest first, if enough units are usable.
    pub(super) fn take(&mut self, cost: u32) -> Option<Decision> {
        let now = clock::now();
        let mut usable = self.units(|portion| now < portion.usable_until);
        if usable < cost {
            // Computed now: a pause before the next fetch would make the use look slower.
            if self.unused() < cost {
                self.compute_fetch_size(now);
            }
            return None;
        }
        let mut missing = cost;
        for portion in self.portions.iter_mut().filter(|portion| now < portion.usable_until) {
            let taken = missing.min(portion.units);
            portion.units -= taken;
            missing -= taken;
        }
        usable -= cost;
        self.portions.retain(|portion| portion.units > 0);
        self.use_up(cost, now);
        let remaining = self.left_in_store.saturating_add(usable).min(self.limit.capacity());
        Some(Decision::allow(&self.limit, remaining, self.reset_at.saturating_duration_since(now)))
    }

    /// The units that no call has used yet.
    pub(super) fn unused(&self) -> u32 {
        self.units(|_| true)
    }

    fn units(&self, of: impl Fn(&Portion) -> bool) -> u32 {
        let units = self.portions.iter().filter(|portion| of(portion)).map(|portion| portion.units);
        units.fold(0, u32::saturating_add)
    }

    fn use_up(&mut self, cost: u32, now: Instant) {
        self.used = self.used.saturating_add(cost);
        self.used_at = now;
    }

    /// Returns how many units to fetch for a call that finds too few. That is the number that lasts for
    /// [`lease_lasts`](Limit::lease_lasts) at the rate of recent use, at most twice the last number, and at least enough
    /// for the call and the waiting calls.
    pub(super) fn wanted(&mut self, cost: u32, waiting_units: u32) -> u32 {
        self.compute_fetch_size(clock::now());
        let all = cost.saturating_add(waiting_units).min(self.limit.largest_lease());
        self.fetch_size.max(all).max(cost)
    }

    /// Computes the size of the next fetch from the units used since the last charge.
    fn compute_fetch_size(&mut self, now: Instant) {
        let used = std::mem::take(&mut self.used);
        if used == 0 {
            return;
        }
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let lasted = micros(now.saturating_duration_since(self.charged_at)).max(1);
        let wanted = micros(self.limit.lease_lasts()) * u64::from(used) / lasted;
        let most = self.fetch_size.saturating_mul(2).min(self.limit.largest_lease()).max(1);
        self.fetch_size = u32::try_from(wanted).unwrap_or(most).clamp(1, most);
    }

    /// Notes that a call's own request was charged in the store.
    pub(super) fn note_own_charge(&mut self, cost: u32, decision: &Decision, sent: Instant) {
        (self.left_in_store, self.charged_at) = (decision.remaining(), sent);
        self.use_up(cost, sent);
    }

    /// Adds units that the store has charged.
    pub(super) fn fill(&mut self, units: u32, decision: &Decision, sent: Instant) {
        // Counted from the sending, so that no unit is handed out after the store has forgotten the charge.
        let charge_ends = sent + decision.reset_after().min(LONGEST_TIME);
        let mut usable_until = sent + self.limit.lease_usable_for();
        // A bucket's units stay usable after the bucket has refilled. They are the amount by which calls may exceed the
        // burst.
        if self.limit.algorithm() == Algorithm::Counter {
            usable_until = usable_until.min(charge_ends);
        }
        self.portions.push(Portion { units, stamp: decision.stamp(), usable_until, charge_ends });
        (self.left_in_store, self.reset_at, self.charged_at, self.used_at) =
            (decision.remaining(), charge_ends, sent, sent);
    }

    /// Notes that a fetch got `missing` units too few. A remote store is asked again when it has the missing units, or
    /// after a pause. Meanwhile a bucket refills, so that its units are not fetched one by one.
    pub(super) fn note_shortage(&mut self, missing: u32, refusal: &Decision) {
        let (pause, has_enough) = (self.limit.lease_pause(), refusal.retry_after().unwrap_or(IDLE));
        self.too_few_until = clock::now() + has_enough.min(pause);
        self.refused_cost =
            if has_enough <= pause { missing } else { missing.min(self.limit.units_back_in(pause)) };
    }

    /// Returns the refusal of a call that finds no leased units while the store has too few.
    pub(super) fn refusal(&self, cost: u32) -> Option<Decision> {
        let now = clock::now();
        let time_left = self.too_few_until.saturating_duration_since(now);
        let reset = self.reset_at.saturating_duration_since(now).max(time_left);
        let refusal = || Decision::refuse(&self.limit, 0, Some(whole_ms(time_left)), reset);
        (!time_left.is_zero() && cost <= self.refused_cost).then(refusal)
    }

    /// Notes that the store has too few units for a call's own request. Returns the refusal for the call. A remote store is asked again after a pause.
    pub(super) fn note_refusal(
        &mut self,
        decision: Decision,
        sent: Instant,
        from_remote_store: bool,
    ) -> Decision {
        let pause = if from_remote_store { self.limit.lease_pause() } else { Duration::ZERO };
        let retry = decision.retry_after().map(|retry| retry.max(whole_ms(pause)));
        self.exhausted_until = sent + retry.unwrap_or(IDLE).min(IDLE);
        Decision::refuse(&self.limit, decision.remaining(), retry, decision.reset_after())
    }

    pub(super) fn is_exhausted(&self) -> bool {
        clock::now() < self.exhausted_until
    }

    /// Removes the units that are no longer usable, or that no call has used for [`IDLE`]. Returns those to return.
    pub(super) fn outdated(&mut self) -> Vec<Unused> {
        let now = clock::now();
        let is_unused = now >= self.used_at + IDLE;
        self.remove(|portion| is_unused || now >= portion.usable_until)
    }

    /// Removes all units. Returns those to return.
    pub(super) fn remove_all(&mut self) -> Vec<Unused> {
        self.remove(|_| true)
    }

    /// Removes the units of some charges. Units of charges that the store has forgotten need not be returned.
    fn remove(&mut self, of: impl Fn(&Portion) -> bool) -> Vec<Unused> {
        let now = clock::now();
        let removed: Vec<Portion> = self.portions.extract_if(.., |portion| of(portion)).collect();
        if !removed.is_empty() {
            self.compute_fetch_size(now);
        }
        let is_stored = |portion: &Portion| now < portion.charge_ends;
        removed
            .into_iter()
            .filter(is_stored)
            .map(|Portion { units, stamp, .. }| Unused { units, stamp })
            .collect()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.portions.is_empty() && clock::now() >= self.used_at + IDLE
    }
}

/// Rounds up to whole milliseconds.
fn whole_ms(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_micros().div_ceil(1000)).unwrap_or(u64::MAX))
}
