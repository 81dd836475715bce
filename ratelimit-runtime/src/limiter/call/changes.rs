//! `Changes`: the changes that a call sends to the store when it ends.

use crate::error::Error;
use crate::limiter::RateLimiter;
use crate::observe::IdentityHash;
use crate::store::{Adjusted, Adjustment, Change, Mode, Request};
use smallvec::SmallVec;

/// Changes, and the name of the limit of each.
///
/// If anybody observes how much of a limit is in use, each [`Change::Take`] is followed by a [`Change::Used`] of the same key. The
/// store makes the two at once, so of all processes only one sees that its units make the limit nearly used up.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) adjustments: SmallVec<[Adjustment; 1]>,
    names: SmallVec<[&'static str; 1]>,
}

impl Changes {
    pub(super) fn push(&mut self, name: &'static str, adjustment: Adjustment, is_observed: bool) {
        let asks = is_observed && adjustment.change() == Change::Take;
        let used =
            asks.then(|| Adjustment::new(adjustment.key().clone(), *adjustment.limit(), 0, Change::Used));
        for adjustment in [Some(adjustment), used].into_iter().flatten() {
            self.adjustments.push(adjustment);
            self.names.push(name);
        }
    }

    /// Notes the reply of the store. Postpones changes that were not made.
    pub(super) fn note(&self, limiter: &RateLimiter, adjusted: &Result<Adjusted, Error>) {
        limiter.shared.postponed.note(limiter.on_error, &self.adjustments, adjusted);
        self.note_taken(limiter, adjusted);
    }

    /// Tells the observers which units were taken.
    pub(super) fn note_taken(&self, limiter: &RateLimiter, adjusted: &Result<Adjusted, Error>) {
        let Ok(adjusted) = adjusted else { return };
        for ((pair, units), name) in self.adjustments.windows(2).zip(adjusted.windows(2)).zip(&self.names) {
            if let ([take, asked], [taken, used]) = (pair, units)
                && asked.change() == Change::Used
            {
                note_take(limiter, name, take, *taken, *used);
            }
        }
    }

    /// Returns the number of units that have changed.
    pub(super) fn sum(&self, adjusted: &Adjusted) -> u32 {
        let changed = self.adjustments.iter().zip(adjusted).filter(|(made, _)| made.change() != Change::Used);
        changed.fold(0, |sum: u32, (_, units)| sum.saturating_add(*units))
    }
}

/// Tells the observers if units that were taken made the limit nearly used up. A hook also receives a decision, so the store is
/// asked for it: this happens once for each window and caller.
fn note_take(limiter: &RateLimiter, name: &str, take: &Adjustment, taken: u32, used: u32) {
    let watch = &limiter.shared.watch;
    let Some(near) = watch.takes(name, take.limit().capacity(), taken, used) else { return };
    let identity = IdentityHash::of(limiter.keys(), take.key());
    let peek = Request::new(take.key().clone(), *take.limit(), 0);
    let peeked = limiter.shared.store.bare().decide(Mode::Peek, &[&peek]);
    peeked.in_background(&limiter.shared.tasks, move |decisions| {
        if let Ok([decision]) = decisions.as_deref() {
            near.tell(*decision, identity);
        }
    });
}
