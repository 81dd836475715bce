//! The units of one key that this process has on lease, and how many it is worth taking.

use crate::decision::Decision;
use crate::limit::Limit;
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
        }
    }

    pub(super) fn take(&mut self, cost: u32) -> Option<Decision> {
        let now = Instant::now();
        if self.units < cost || now >= self.good_until {
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
        self.good_until = self.void_at.min(sent + self.limit.lease_is_good());
        self.since = sent;
        self.use_up(cost, sent);
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

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);
    /// A sixteenth of its window is a tenth of a second.
    const LIMIT: Limit = Limit::counter(10_000, Duration::from_millis(1600)).lease(500);

    /// Takes what is wanted, and uses up so many units, with a pause before each.
    async fn use_up(lease: &mut Lease, units: u32, pause: Duration) -> u32 {
        let taken = lease.wanted(1, 0);
        let decision = Decision::allow(&LIMIT, 0, LIMIT.time()).in_turn(Duration::ZERO, 7);
        lease.fill(taken, 1, &decision, Instant::now());
        for _ in 1..units.min(taken) {
            tokio::time::advance(pause).await;
            assert!(lease.take(1).is_some());
        }
        tokio::time::advance(pause).await;
        taken
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_taken_lasts_for_a_tenth_of_a_second() {
        let mut lease = Lease::new(LIMIT);
        let mut taken = Vec::new();
        for _ in 0..8 {
            taken.push(use_up(&mut lease, 500, MS).await);
        }
        assert_eq!(taken, [1, 2, 4, 8, 16, 32, 64, 100]);
        // Ten times as many calls, up to the bound; then few, and rare ones.
        for _ in 0..4 {
            taken.push(use_up(&mut lease, 500, MS / 10).await);
        }
        assert_eq!(taken[8..], [100, 200, 400, 500]);
        use_up(&mut lease, 10, 10 * MS).await;
        tokio::time::advance(300 * MS).await;
        assert_eq!(lease.outdated().map(|unused| unused.units), Some(490));
        assert_eq!(use_up(&mut lease, 2, 390 * MS).await, 2);
        assert_eq!(use_up(&mut lease, 1, MS).await, 1);
        assert_eq!([0, 30, 900].map(|waiting| lease.wanted(1, waiting)), [2, 31, 500]);
    }

    #[tokio::test(start_paused = true)]
    async fn units_are_handed_out_while_they_are_good() {
        let mut lease = Lease::new(LIMIT);
        lease.fill(5, 1, &Decision::allow(&LIMIT, 0, LIMIT.time()), Instant::now());
        tokio::time::advance(399 * MS).await;
        assert!(lease.take(1).is_some() && lease.outdated().is_none());
        tokio::time::advance(MS).await;
        assert!(lease.take(1).is_none());
        assert_eq!(lease.outdated().map(|unused| unused.units), Some(3));
        // Those of a window that has ended are void.
        lease.fill(5, 1, &Decision::allow(&LIMIT, 0, 30 * MS), Instant::now());
        tokio::time::advance(30 * MS).await;
        assert!(lease.take(1).is_none() && lease.give_up().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_of_a_bucket_that_is_far_holds_for_a_moment() {
        let bucket = Limit::token_bucket(1000, Duration::from_secs(1));
        for (limit, far, told) in [(bucket, true, 63 * MS), (bucket, false, MS), (LIMIT, true, MS)] {
            let mut lease = Lease::new(limit);
            let refusal = Decision::refuse(&limit, 0, Some(MS), limit.time());
            assert_eq!(lease.refused(refusal, Instant::now(), far).retry_after(), Some(told));
            tokio::time::advance(told * 9 / 10).await;
            assert!(lease.is_dry());
            tokio::time::advance(told / 10).await;
            assert!(!lease.is_dry());
        }
    }
}
