//! The units of one key that this process has on lease, and how many it is worth taking.

use crate::decision::Decision;
use crate::limit::{Algorithm, Limit};
use crate::limiter::FAR;
use std::time::Duration;
use tokio::time::Instant;

/// Units that nobody has asked for so long go back, and a refusal is not believed for longer.
pub(super) const IDLE: Duration = Duration::from_secs(1);

/// Units of one key.
pub(super) struct Lease {
    pub(super) limit: Limit,
    /// The oldest first; it is used up first.
    portions: Vec<Portion>,
    /// When nothing of the limit is in use any more, as far as is known.
    reset_at: Instant,
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
    /// The highest cost that is refused until then: the store will have that many units.
    short_of: u32,
}

/// What is left of one charge.
struct Portion {
    units: u32,
    /// Finds the charge in the store.
    stamp: u64,
    /// The units are not handed out after that, and go back.
    good_until: Instant,
    /// The store has forgotten the charge.
    void_at: Instant,
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
            portions: Vec::new(),
            reset_at: now,
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

    /// Hands out units, the oldest first, if there are enough that are good.
    pub(super) fn take(&mut self, cost: u32) -> Option<Decision> {
        let now = Instant::now();
        if self.units(|_| true) < cost {
            // Now, and not when the store is asked: that may be after a pause.
            self.judge(now);
            return None;
        }
        let mut good = self.units(|portion| now < portion.good_until);
        if good < cost {
            return None;
        }
        let mut left = cost;
        for portion in self.portions.iter_mut().filter(|portion| now < portion.good_until) {
            let taken = left.min(portion.units);
            portion.units -= taken;
            left -= taken;
        }
        good -= cost;
        self.portions.retain(|portion| portion.units > 0);
        self.use_up(cost, now);
        let remaining = self.left.saturating_add(good).min(self.limit.capacity());
        Some(Decision::allow(&self.limit, remaining, self.reset_at.saturating_duration_since(now)))
    }

    fn units(&self, of: impl Fn(&Portion) -> bool) -> u32 {
        let units = self.portions.iter().filter(|portion| of(portion)).map(|portion| portion.units);
        units.fold(0, u32::saturating_add)
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

    /// Adds units that the store has charged.
    pub(super) fn fill(&mut self, units: u32, decision: &Decision, sent: Instant) {
        // From the sending on, so that no unit is handed out after the store has forgotten it.
        let void_at = sent + decision.reset_after().min(FAR);
        let mut good_until = sent + self.limit.lease_is_good();
        // Units of a bucket stay good when as many have come back: they are what it may pass its burst by.
        if self.limit.algorithm() == Algorithm::Counter {
            good_until = good_until.min(void_at);
        }
        self.portions.push(Portion { units, stamp: decision.stamp(), good_until, void_at });
        (self.left, self.reset_at, self.since, self.used_at) = (decision.remaining(), void_at, sent, sent);
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
        let reset = self.reset_at.saturating_duration_since(now).max(left);
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

    /// Takes out the units that are not to be handed out any more, or have not been for a while.
    pub(super) fn outdated(&mut self) -> Vec<Unused> {
        let now = Instant::now();
        let is_unused = now >= self.used_at + IDLE;
        self.take_out(|portion| is_unused || now >= portion.good_until)
    }

    /// Takes out all units.
    pub(super) fn give_up(&mut self) -> Vec<Unused> {
        self.take_out(|_| true)
    }

    /// Takes out the units of some charges. Those that the store has forgotten need not be given back.
    fn take_out(&mut self, of: impl Fn(&Portion) -> bool) -> Vec<Unused> {
        let now = Instant::now();
        let out: Vec<Portion> = self.portions.extract_if(.., |portion| of(portion)).collect();
        if !out.is_empty() {
            self.judge(now);
        }
        let lives = |portion: &Portion| now < portion.void_at;
        out.into_iter().filter(lives).map(|Portion { units, stamp, .. }| Unused { units, stamp }).collect()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.portions.is_empty() && self.used_at.elapsed() >= IDLE
    }
}

/// Rounded up.
fn whole_ms(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_micros().div_ceil(1000)).unwrap_or(u64::MAX))
}
