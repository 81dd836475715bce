//! The permits that this limiter holds: renewed while they are held, given back when they are not.

use super::asked::Asked;
use super::decide::Source;
use super::{RateLimiter, Shared};
use crate::store::{Adjustment, Change};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::time::Instant;

/// A lease is renewed when so much of it has passed.
const RENEWED_AFTER: u32 = 3;
/// So many are renewed in one call.
const AT_ONCE: usize = 64;

#[derive(Default)]
pub(crate) struct Renewals(Mutex<Held>);

#[derive(Default)]
struct Held {
    permits: HashMap<u64, Permit>,
    renewing: bool,
}

struct Permit {
    asked: Asked,
    source: Source,
    due: Instant,
}

fn adjustment(asked: &Asked, change: Change) -> Adjustment<'_> {
    Adjustment::new(asked.key.as_store_key(), &asked.limit, asked.cost, change)
}

impl Renewals {
    fn with<T>(&self, act: impl FnOnce(&mut Held) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Renews this permit from now on. Without a runtime, which only the memory store can do without, it lasts as long
    /// as its lease.
    pub(crate) fn hold(&self, limiter: &RateLimiter, source: Source, asked: &Asked) {
        let runtime = tokio::runtime::Handle::try_current();
        let permit =
            Permit { asked: asked.clone(), source, due: Instant::now() + asked.limit.time() / RENEWED_AFTER };
        let start = self.with(|held| {
            held.permits.insert(asked.permit, permit);
            let start = !held.renewing && runtime.is_ok();
            held.renewing |= start;
            start
        });
        if let Ok(runtime) = runtime
            && start
        {
            runtime.spawn(renew(Renewer(Arc::downgrade(&limiter.shared))));
        }
    }

    /// Gives a permit back, and wakes one that waits for it.
    pub(crate) fn release(&self, limiter: &RateLimiter, source: Source, asked: &Asked) {
        self.with(|held| held.permits.remove(&asked.permit));
        let (wake, key) = (limiter.shared.wake.clone(), asked.key.clone());
        let reply = limiter.adjust(source, &[adjustment(asked, Change::Give(asked.permit))]);
        limiter.shared.background.run(reply, move |_| wake.wake(key.as_store_key()));
    }

    /// Gives all permits back, also those whose holders still run.
    pub(crate) fn release_all(&self, limiter: &RateLimiter) {
        let permits = self.with(|held| std::mem::take(&mut held.permits));
        for permit in permits.into_values() {
            self.release(limiter, permit.source, &permit.asked);
        }
    }

    /// The permits that are to be renewed now, and when the next one is.
    fn due(&self) -> (Vec<(Asked, Source)>, Option<Instant>) {
        let now = Instant::now();
        self.with(|held| {
            let mut due = Vec::new();
            for permit in held.permits.values_mut().filter(|permit| permit.due <= now) {
                permit.due = now + permit.asked.limit.time() / RENEWED_AFTER;
                due.push((permit.asked.clone(), permit.source));
            }
            let next = held.permits.values().map(|permit| permit.due).min();
            held.renewing = next.is_some();
            (due, next)
        })
    }
}

/// Says so when its task ends, also with its runtime: then the next permit starts another.
struct Renewer(Weak<Shared>);

impl Drop for Renewer {
    fn drop(&mut self) {
        if let Some(shared) = self.0.upgrade() {
            shared.renewals.with(|held| held.renewing = false);
        }
    }
}

async fn renew(renewer: Renewer) {
    while let Some(limiter) = renewer.0.upgrade().map(RateLimiter::of) {
        let (due, next) = limiter.shared.renewals.due();
        for source in [Source::Store, Source::Local] {
            let of_source: Vec<&Asked> =
                due.iter().filter(|(_, from)| *from == source).map(|(asked, _)| asked).collect();
            for some in of_source.chunks(AT_ONCE) {
                let renewals: Vec<Adjustment<'_>> =
                    some.iter().map(|asked| adjustment(asked, Change::Renew(asked.permit))).collect();
                if let Err(error) = limiter.within_deadline(limiter.adjust(source, &renewals)).await {
                    tracing::debug!(%error, "permits were not renewed; they are tried again before their leases end");
                }
            }
        }
        let Some(next) = next else { return };
        drop(limiter);
        tokio::time::sleep_until(next.max(Instant::now() + Duration::from_millis(1))).await;
    }
}
