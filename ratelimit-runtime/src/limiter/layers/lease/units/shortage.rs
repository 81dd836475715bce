//! Remembers that the store has too few units: which calls are refused, and until when.

use super::{IDLE, LeasedUnits};
use crate::clock::micros;
use crate::decision::Decision;
use std::time::Duration;

impl LeasedUnits {
    /// Notes that the store had `missing` units too few for a fetch. Calls are refused until the store has the missing units, but
    /// at most for the pause of the limit. Meanwhile a bucket refills, so its units need not be fetched one by one.
    pub(in super::super) fn note_shortage(&mut self, missing: u32, refusal: &Decision, now: u64) {
        let (pause, has_enough) = (self.limit.lease_pause(), refusal.retry_after().unwrap_or(IDLE));
        self.too_few_until = now.saturating_add(micros(has_enough.min(pause)));
        self.refused_cost =
            if has_enough <= pause { missing } else { missing.min(self.limit.units_back_in(pause)) };
    }

    /// Returns the refusal of a call that finds no leased units while the store has too few. `None` if the call must ask the
    /// store.
    pub(in super::super) fn refusal(&self, cost: u32, now: u64) -> Option<Decision> {
        let time_left = Duration::from_micros(self.too_few_until.saturating_sub(now));
        let reset = Duration::from_micros(self.reset_at.saturating_sub(now)).max(time_left);
        let refusal = || Decision::refuse(&self.limit, 0, Some(whole_ms(time_left)), reset);
        (!time_left.is_zero() && cost <= self.refused_cost).then(refusal)
    }

    /// Notes that the store has refused a call's own request. Returns the refusal for the call. If the store is remote, this
    /// refusal lasts at least for the pause of the limit.
    pub(in super::super) fn note_refusal(
        &mut self,
        decision: Decision,
        sent: u64,
        from_remote_store: bool,
    ) -> Decision {
        let pause = if from_remote_store { self.limit.lease_pause() } else { Duration::ZERO };
        let retry = decision.retry_after().map(|retry| retry.max(whole_ms(pause)));
        self.exhausted_until = sent.saturating_add(micros(retry.unwrap_or(IDLE).min(IDLE)));
        Decision::refuse(&self.limit, decision.remaining(), retry, decision.reset_after())
    }

    pub(in super::super) fn is_exhausted(&self, now: u64) -> bool {
        now < self.exhausted_until
    }
}

/// Rounds up to whole milliseconds.
fn whole_ms(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_micros().div_ceil(1000)).unwrap_or(u64::MAX))
}
