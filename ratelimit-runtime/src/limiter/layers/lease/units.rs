//! `LeasedUnits`: the leased units of one key, and the size of the next fetch. Times are microseconds of the timer that all
//! leases share.

mod shortage;

use crate::clock::LONGEST_TIME;
use crate::clock::micros;
use crate::decision::Decision;
use crate::limit::Limit;
use smallvec::SmallVec;
use std::time::Duration;

/// Units are returned when no call has used units of the key for this time. A refusal is also reused for at most this time.
pub(super) const IDLE: Duration = Duration::from_secs(1);

/// The leased units of one key.
pub(super) struct LeasedUnits {
    pub(super) limit: Limit,
    /// The portions, the oldest first. Calls use the oldest portion first. After a fetch in advance, there may be two portions.
    portions: SmallVec<[Portion; 2]>,
    /// The time at which nothing of the limit is in use, according to the last decision.
    reset_at: u64,
    /// The number of units that remained in the store after the last decision.
    left_in_store: u32,
    /// The number of units that calls have used since the size of the next fetch was last computed.
    used: u32,
    /// The time at which a call last used units.
    used_at: u64,
    /// The next fetch begins when at most this many units are left. If this number is zero, the fetch begins when a call finds
    /// too few units.
    low: u32,
    /// The size of the next fetch.
    fetch_size: u32,
    /// The number of units that calls use in [`lease_lasts`](Limit::lease_lasts), at the rate of recent calls.
    use_per_lease: u32,
    /// The time of the last request for which the store has charged units.
    charged_at: u64,
    /// Until this time, the store has no units: each call sends its own request and does not wait for a fetch.
    exhausted_until: u64,
    /// Until this time, the store has too few units for a fetch, so calls that find no leased units are refused.
    too_few_until: u64,
    /// The highest cost that is refused until `too_few_until`. The store has this many units by then.
    refused_cost: u32,
    /// Whether a fetch in advance is under way. Its size is computed while units are left, and is not computed again until it
    /// ends.
    fetches_in_advance: bool,
}

/// The unused units of one charge.
pub(super) struct Portion {
    pub(super) units: u32,
    /// The stamp by which the store finds the charge.
    pub(super) stamp: u64,
    /// From this time on, the units are not handed out but returned.
    usable_until: u64,
    /// From this time on, the store no longer has the charge, so its units cannot be returned.
    charge_ends: u64,
}

/// Units that were handed out.
#[derive(Clone, Copy)]
pub(super) struct Taken {
    pub(super) decision: Decision,
    /// Whether the caller must begin a fetch in advance. Only one call gets `true`.
    pub(super) is_low: bool,
}

impl LeasedUnits {
    pub(super) fn new(limit: Limit, now: u64) -> Self {
        Self {
            limit,
            portions: SmallVec::new(),
            reset_at: now,
            left_in_store: 0,
            used: 0,
            used_at: now,
            low: 0,
            fetch_size: 1,
            use_per_lease: 0,
            charged_at: now,
            exhausted_until: now,
            too_few_until: now,
            refused_cost: 0,
            fetches_in_advance: false,
        }
    }

    /// Hands out units, the oldest first. Returns `None` if fewer than `cost` units are usable.
    #[inline]
    pub(super) fn take(&mut self, cost: u32, now: u64) -> Option<Taken> {
        let mut usable = self.units(|portion| now < portion.usable_until);
        if usable < cost {
            // Computes the size of the next fetch now. A pause before the fetch would make the rate of use look lower.
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
        let is_low = usable <= self.low && self.low > 0;
        if is_low {
            self.low = 0;
        }
        let remaining = self.left_in_store.saturating_add(usable).min(self.limit.capacity());
        let reset = Duration::from_micros(self.reset_at.saturating_sub(now));
        Some(Taken { decision: Decision::allow(&self.limit, remaining, reset), is_low })
    }

    /// Returns the number of units that no call has used yet.
    pub(super) fn unused(&self) -> u32 {
        self.units(|_| true)
    }

    fn units(&self, of: impl Fn(&Portion) -> bool) -> u32 {
        let units = self.portions.iter().filter(|portion| of(portion)).map(|portion| portion.units);
        units.fold(0, u32::saturating_add)
    }

    fn use_up(&mut self, cost: u32, now: u64) {
        self.used = self.used.saturating_add(cost);
        self.used_at = now;
    }

    /// Returns how many units to fetch for a call that finds too few. The number lasts for [`lease_lasts`](Limit::lease_lasts) at
    /// the rate of recent calls, but is at most twice the size of the last fetch. If the call and the waiting calls need more, it
    /// is raised to what they need.
    pub(super) fn wanted(&mut self, cost: u32, waiting_units: u32, now: u64) -> u32 {
        self.compute_fetch_size(now);
        let all = cost.saturating_add(waiting_units).min(self.limit.largest_lease());
        self.fetch_size.max(all).max(cost)
    }

    /// Returns how many units to fetch in advance, while some units are left. Zero if the store had fewer units left than the
    /// fetch size, or if the lease already has its largest size.
    pub(super) fn wanted_in_advance(&mut self, now: u64) -> u32 {
        let room = self.limit.largest_lease().saturating_sub(self.unused());
        if room == 0 || self.left_in_store < self.fetch_size {
            return 0;
        }
        self.compute_fetch_size(now);
        self.fetches_in_advance = true;
        self.fetch_size.min(self.left_in_store).min(room)
    }

    /// Computes the size of the next fetch from the units that were used since the last charge.
    fn compute_fetch_size(&mut self, now: u64) {
        if self.used == 0 || self.fetches_in_advance {
            return;
        }
        let used = std::mem::take(&mut self.used);
        let lasted = now.saturating_sub(self.charged_at).max(1);
        let wanted = micros(self.limit.lease_lasts()) * u64::from(used) / lasted;
        let most = self.fetch_size.saturating_mul(2).min(self.limit.largest_lease()).max(1);
        self.use_per_lease = u32::try_from(wanted).unwrap_or(u32::MAX);
        self.fetch_size = self.use_per_lease.clamp(1, most);
    }

    /// Notes that a fetch has ended.
    pub(super) fn end_fetch(&mut self) {
        self.fetches_in_advance = false;
    }

    /// Notes that a call's own request was charged in the store.
    pub(super) fn note_own_charge(&mut self, cost: u32, decision: &Decision, sent: u64) {
        (self.left_in_store, self.charged_at) = (decision.remaining(), sent);
        self.use_up(cost, sent);
    }

    /// Adds units that the store has charged.
    pub(super) fn fill(&mut self, units: u32, decision: &Decision, sent: u64, now: u64) {
        // Both times count from when the request was sent. So no unit is handed out after the store has forgotten the charge.
        let charge_ends = sent.saturating_add(micros(decision.reset_after().min(LONGEST_TIME)));
        let mut usable_until = sent.saturating_add(micros(self.limit.lease_usable_for()));
        // Leased units of a bucket stay usable after the bucket has refilled, so calls may exceed the burst by these units.
        if !self.limit.algorithm().is_bucket() {
            usable_until = usable_until.min(charge_ends);
        }
        self.portions.push(Portion { units, stamp: decision.stamp(), usable_until, charge_ends });
        self.low = self.used_within(now.saturating_sub(sent)).min(units / 2);
        (self.left_in_store, self.reset_at, self.charged_at, self.used_at) =
            (decision.remaining(), charge_ends, sent, sent);
    }

    /// Returns twice the number of units that calls use in `fetch_takes` microseconds, so that the next units arrive before the
    /// last ones are used. The result is rounded down: if a process with few calls fetched units in advance, they would stay
    /// unused.
    fn used_within(&self, fetch_takes: u64) -> u32 {
        let used = u64::from(self.use_per_lease).saturating_mul(fetch_takes).saturating_mul(2);
        u32::try_from(used / micros(self.limit.lease_lasts()).max(1)).unwrap_or(u32::MAX)
    }

    /// Removes the units that are no longer usable. If no call has used units for [`IDLE`], removes all. Returns the removed
    /// units that can still be returned to the store.
    pub(super) fn outdated(&mut self, now: u64) -> Vec<Portion> {
        let is_unused = self.is_unused(now);
        self.remove(now, |portion| is_unused || now >= portion.usable_until)
    }

    /// Removes all units. Returns the removed units that can still be returned to the store.
    pub(super) fn remove_all(&mut self, now: u64) -> Vec<Portion> {
        self.remove(now, |_| true)
    }

    /// Removes the portions that `of` selects. Returns the removed portions whose charge the store still has.
    fn remove(&mut self, now: u64, of: impl Fn(&Portion) -> bool) -> Vec<Portion> {
        if !self.portions.iter().any(&of) {
            return Vec::new();
        }
        self.compute_fetch_size(now);
        let (removed, kept): (Vec<Portion>, Vec<Portion>) = self.portions.drain(..).partition(of);
        self.portions.extend(kept);
        removed.into_iter().filter(|portion| now < portion.charge_ends).collect()
    }

    fn is_unused(&self, now: u64) -> bool {
        now.saturating_sub(self.used_at) >= micros(IDLE)
    }

    pub(super) fn is_idle(&self, now: u64) -> bool {
        self.portions.is_empty() && self.is_unused(now)
    }
}
