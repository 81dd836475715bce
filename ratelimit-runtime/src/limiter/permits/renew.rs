//! The task that renews the permits of one runtime, and the overdue permits of other runtimes.

use super::taken::retried_after;
use crate::limiter::RateLimiter;
use crate::limiter::Shared;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::runtime::Id;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The most permits that are renewed in one request.
const MOST_AT_ONCE: usize = 64;

/// The shortest sleep of the task. When the task wakes, it handles all permits that are due, so it need not wake for each of
/// them.
const SHORTEST_SLEEP: Duration = Duration::from_millis(20);

/// The task of a runtime. When it is dropped, which also happens when the runtime shuts down, another task can take its place.
pub(super) struct Renewer {
    pub(super) limiter: Weak<Shared>,
    pub(super) runtime: Id,
    pub(super) woken: Arc<Notify>,
}

impl Drop for Renewer {
    fn drop(&mut self) {
        if let Some(shared) = self.limiter.upgrade() {
            let woken = &self.woken;
            shared.permits.with(|table| table.renewers.retain(|task| !Arc::ptr_eq(&task.woken, woken)));
        }
    }
}

/// Renews and returns permits that are due, until the table has no permit.
pub(super) async fn renew(renewer: Renewer) {
    while let Some(limiter) = renewer.limiter.upgrade().map(RateLimiter::of) {
        let renewals = &limiter.shared.permits;
        let (due, next) = renewals.due(renewer.runtime);
        for (source, changes) in due {
            for batch in changes.chunks(MOST_AT_ONCE) {
                let (sent, adjusting) = (Instant::now(), limiter.shared.policy.adjust(source, batch));
                // A server that does not reply must not delay the renewals of the other permits.
                let patience = batch.iter().map(|change| retried_after(change.limit())).min();
                let adjusting = limiter.shared.store.within_deadline(adjusting);
                match tokio::time::timeout(patience.unwrap_or_default(), adjusting).await {
                    Ok(Ok(units)) => {
                        renewals.done(source, batch, &units, sent);
                        continue;
                    }
                    Ok(Err(error)) => {
                        tracing::debug!(%error, "cannot renew or return permits; trying again");
                    }
                    Err(_) => tracing::debug!("no reply to the renewal or return of permits; trying again"),
                }
                renewals.not_done(source, batch);
            }
        }
        let Some(next) = next else { return };
        drop(limiter);
        let next = next.max(Instant::now() + SHORTEST_SLEEP);
        let _ = tokio::time::timeout_at(next, renewer.woken.notified()).await;
    }
}
