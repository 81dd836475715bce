//! The units of one key that this process has on lease, and how many it is worth taking.

use crate::decision::Decision;
use crate::limit::{Algorithm, Limit};
use std::time::Duration;
use tokio::time::Instant;

/// Units that nobody has asked for so long go back, and a refusal is not believed for longer.
pub(super) const IDLE: Duration = Duration::from_secs(1);

/// Units of one key. Who takes more from the store holds its lock meanwhile, so that a key is asked for once.
pub(super) struct Lease {
    pub(super) limit: Limit,
    units: u32,
    /// What finds their charge.
    stamp: u64,
    /// They are not handed out after that, and go back.
    good_until: Instant,
    /// They count no more.
    void_at: Instant,
    /// What was left in the store besides.
    left: u32,
    /// How many to ask for next.
    next: u32,
    /// What was used of what was taken last, and when that was taken.
    used: u32,
    since: Instant,
    used_at: Instant,
    /// The store has nothing to give: until then each call asks for itself, and no one waits for another.
    dry_until: Instant,
    /// It has fewer than are of use: until then calls that find none here are refused.
    short_until: Instant,
    /// Those of so many units at most: then as many are there.
    short_of: u32,
}

/// Units of a charge, to be given back.
pub(super) struct Unused {
    pub(super) units: u32,
    pub(super) stamp: u64,
}

impl Lease {
    pub(super) fn new(limit: Limit) -> Self {
        let now = Instant::now();
        Self {
            limit,
            units: 0,
            stamp: 0,
            good_until: now,
            void_at: now,
            left: 0,
            next: 1,
            used: 0,
            since: now,
            used_at: now,
            dry_until: now,
            short_until: now,
            short_of: 0,
        }
    }

    pub(super) fn take(&mut self, cost: u32) -> Option<Decision> {
        let now = Instant::now();
        if self.units < cost {
            // Now, and not when the store is asked: that may be after a pause.
            self.judge(now);
            return None;
        }
        if now >= self.good_until {
            return None;
        }
        self.units -= cost;
        self.use_up(cost, now);
        Some(self.decision())
    }

    pub(super) fn decision(&self) -> Decision {
        let remaining = self.left.saturating_add(self.units).min(self.limit.capacity());
        Decision::allow(&self.limit, remaining, self.void_at.saturating_duration_since(Instant::now()))
    }

    fn use_up(&mut self, cost: u32, now: Instant) {
        self.used = self.used.saturating_add(cost);
        self.used_at = now;
    }

    /// How many to ask for, for a call that finds too few: as many as would last for a while, by what was used of those
    /// taken last, and at most twice as many as then. Those who wait are to have some too.
    pub(super) fn wanted(&mut self, cost: u32, waiting: u32) -> u32 {
        self.judge(Instant::now());
        let all = cost.saturating_add(waiting).min(self.limit.largest_lease());
        self.next.max(all).max(cost)
    }

    fn judge(&mut self, now: Instant) {
        let used = std::mem::take(&mut self.used);
        if used == 0 {
            return;
        }
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let lasted = micros(now.saturating_duration_since(self.since)).max(1);
        let wanted = micros(self.limit.lease_lasts()) * u64::from(used) / lasted;
        let most = self.next.saturating_mul(2).min(self.limit.largest_lease()).max(1);
        self.next = u32::try_from(wanted).unwrap_or(most).clamp(1, most);
    }

    /// A call was charged in the store by itself.
    pub(super) fn go_past(&mut self, cost: u32, decision: &Decision, sent: Instant) {
        (self.left, self.since) = (decision.remaining(), sent);
        self.use_up(cost, sent);
    }

    /// What has come, for a call that takes a part of it.
    pub(super) fn fill(&mut self, taken: u32, cost: u32, decision: &Decision, sent: Instant) {
        // There were too few before, so this call takes them all, and what is left is of the new charge.
        let kept = if sent < self.good_until { self.units } else { 0 };
        self.units = kept + taken - cost;
        (self.stamp, self.left) = (decision.stamp(), decision.remaining());
        // From the sending on, so that no unit is handed out after the store has forgotten it.
        self.void_at = sent + decision.reset_after();
        self.good_until = sent + self.limit.lease_is_good();
        // Units of a bucket stay good when as many have come back: they are what it may pass its burst by.
        if self.limit.algorithm() == Algorithm::Counter {
            self.good_until = self.good_until.min(self.void_at);
        }
        self.since = sent;
        self.use_up(cost, sent);
    }

    /// So many have come too few. A store that is far is asked again when as many would be there, or after a pause:
    /// meanwhile a bucket collects what would else be fetched one by one.
    pub(super) fn fell_short(&mut self, missing: u32, refusal: &Decision) {
        let (pause, enough) = (self.limit.lease_pause(), refusal.retry_after().unwrap_or(IDLE));
        self.short_until = Instant::now() + enough.min(pause);
        self.short_of = if enough <= pause { missing } else { missing.min(self.limit.comes_back_in(pause)) };
    }

    /// What a call is told that finds no units here, while the store has too few.
    pub(super) fn refusal(&self, cost: u32) -> Option<Decision> {
        let now = Instant::now();
        let left = self.short_until.saturating_duration_since(now);
        let reset = self.void_at.saturating_duration_since(now).max(left);
        let refusal = || Decision::refuse(&self.limit, 0, Some(whole_ms(left)), reset);
        (!left.is_zero() && cost <= self.short_of).then(refusal)
    }

    /// Nothing has come; answers what the call is told. A store that is far is asked again after a pause.
    pub(super) fn refused(&mut self, decision: Decision, sent: Instant, far: bool) -> Decision {
        let pause = if far { self.limit.lease_pause() } else { Duration::ZERO };
        let retry = decision.retry_after().map(|retry| retry.max(whole_ms(pause)));
        self.dry_until = sent + retry.unwrap_or(IDLE).min(IDLE);
        Decision::refuse(&self.limit, decision.remaining(), retry, decision.reset_after())
    }

    pub(super) fn is_dry(&self) -> bool {
        Instant::now() < self.dry_until
    }

    /// What is not to be handed out any more, or has not been for a while.
    pub(super) fn outdated(&mut self) -> Option<Unused> {
        let now = Instant::now();
        if self.units == 0 || now < self.good_until.min(self.used_at + IDLE) {
            return None;
        }
        self.judge(now);
        self.give_up()
    }

    /// All that is left.
    pub(super) fn give_up(&mut self) -> Option<Unused> {
        let units = std::mem::take(&mut self.units);
        (units > 0 && Instant::now() < self.void_at).then_some(Unused { units, stamp: self.stamp })
    }

    pub(super) fn is_idle(&self) -> bool {
        self.units == 0 && self.used_at.elapsed() >= IDLE
    }
}

/// Rounded up.
fn whole_ms(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_micros().div_ceil(1000)).unwrap_or(u64::MAX))
}
