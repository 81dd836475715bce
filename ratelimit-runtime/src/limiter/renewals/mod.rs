//! `Renewals`: renews the permits that this limiter holds, and returns them to the store when they are dropped.
//!
//! Each runtime in which a permit was taken has a task that renews its permits. If that runtime is blocked, idle or shut
//! down, the task of another runtime renews them, or a task that the next call starts.

mod task;
#[cfg(test)]
mod tests;

use super::RateLimiter;
use super::decided::Source;
use crate::clock::timer;
use crate::store::{Adjusted, Change, Reply, ReplyKind, Request};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::{Handle, Id};
use tokio::sync::Notify;
use tokio::time::Instant;

/// A permit is renewed after the time of its lease divided by this number.
const RENEWED_AFTER: u32 = 3;
/// A failed renewal is tried again after the time of the lease divided by this number. After the same delay, other runtimes
/// renew a permit that its own runtime has not renewed.
const RETRIED_AFTER: u32 = 9;
/// The return of a permit is sent again if no reply has arrived after this time, or after the delay of a failed renewal if
/// that is shorter.
const RELEASED_AGAIN_AFTER: Duration = Duration::from_millis(500);
/// No permit is overdue at any time.
const NEVER: u64 = u64::MAX;

pub(crate) struct Renewals {
    table: Mutex<Table>,
    start: Instant,
    /// When the next permit may be overdue, so that any runtime renews it, in milliseconds from the start.
    overdue_ms: AtomicU64,
}

#[derive(Default)]
struct Table {
    /// By source and id, because a permit of the store and a permit of the local memory may have the same id.
    permits: HashMap<(Source, u64), Permit>,
    /// The renewing tasks, at most one for each runtime.
    renewers: Vec<Sleeping>,
}

/// The renewing task of a runtime.
struct Sleeping {
    runtime: Id,
    /// When the task wakes by itself.
    until: Instant,
    woken: Arc<Notify>,
}

struct Permit {
    request: Request,
    source: Source,
    /// The runtime that renews the permit: the one in which it was taken, or the last one that took it over.
    runtime: Option<Id>,
    /// When the permit's own runtime renews it.
    due: Instant,
    /// When its lease ends, unless it is renewed.
    ends: Instant,
    /// The permit is being returned.
    released: bool,
}

impl Permit {
    fn change(&self) -> Change {
        if self.released { Change::Give(self.request.permit()) } else { Change::Renew(self.request.permit()) }
    }

    /// How long to wait for the reply to a renewal or a return before it is sent again.
    fn retry_delay(&self) -> Duration {
        let retried_after = self.request.limit().time() / RETRIED_AFTER;
        if self.released { retried_after.min(RELEASED_AGAIN_AFTER) } else { retried_after }
    }

    /// When a runtime renews the permit. Other runtimes do so later than the permit's own.
    fn due_in(&self, runtime: Id) -> Instant {
        if self.runtime == Some(runtime) { self.due } else { self.overdue() }
    }

    /// When other runtimes renew the permit.
    fn overdue(&self) -> Instant {
        self.due + if self.released { Duration::ZERO } else { self.request.limit().time() / RETRIED_AFTER }
    }
}

impl Default for Renewals {
    fn default() -> Self {
        Self { table: Mutex::default(), start: Instant::now(), overdue_ms: AtomicU64::new(NEVER) }
    }
}

impl Renewals {
    fn with<T>(&self, act: impl FnOnce(&mut Table) -> T) -> T {
        act(&mut self.table.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Renews this permit from now on. Without a runtime, which only the memory store does not need, the permit ends with
    /// its lease.
    pub(crate) fn hold(&self, limiter: &RateLimiter, source: Source, request: &Request) {
        let due = self.insert(source, request, false);
        self.wake(limiter, due);
    }

    /// Inserts a permit into the table. Returns when it is due.
    fn insert(&self, source: Source, request: &Request, released: bool) -> Instant {
        let (runtime, now) = (Handle::try_current().ok().map(|runtime| runtime.id()), Instant::now());
        let (due, ends) = (now + request.limit().time() / RENEWED_AFTER, now + request.limit().time());
        let mut permit = Permit { request: request.clone(), source, runtime, due, ends, released };
        if released {
            permit.due = now + permit.retry_delay();
        }
        let (due, overdue_ms) = (permit.due, self.ms(permit.overdue()));
        self.with(|table| {
            table.permits.insert((source, request.permit()), permit);
            self.overdue_ms.fetch_min(overdue_ms, Ordering::Relaxed);
        });
        due
    }

    /// Makes sure that the task of the current runtime wakes at the time `before` or earlier. Starts the task if there is
    /// none.
    fn wake(&self, limiter: &RateLimiter, before: Instant) {
        let Ok(runtime) = Handle::try_current() else { return };
        let woken = self.with(|table| {
            if let Some(task) = table.renewers.iter_mut().find(|task| task.runtime == runtime.id()) {
                if before < task.until {
                    task.until = before;
                    task.woken.notify_one();
                }
                return None;
            }
            let woken = Arc::new(Notify::new());
            let task = Sleeping { runtime: runtime.id(), until: before, woken: Arc::clone(&woken) };
            table.renewers.push(task);
            Some(woken)
        });
        if let Some(woken) = woken {
            let limiter = Arc::downgrade(&limiter.shared);
            let renewer = task::Renewer { limiter, runtime: runtime.id(), woken };
            // Without timers, dropping the renewer removes it from the table.
            if timer::runtime().is_ok() {
                runtime.spawn(task::renew(renewer));
            }
        }
    }

    /// Renews overdue permits in the current runtime.
    pub(crate) fn take_over(&self, limiter: &RateLimiter, now: Instant) {
        let overdue_ms = self.overdue_ms.load(Ordering::Relaxed);
        if overdue_ms == NEVER || self.ms(now) < overdue_ms {
            return;
        }
        // The task computes when the next permit is overdue. If the task is late too, another call takes over.
        self.overdue_ms.store(self.ms(now + RELEASED_AGAIN_AFTER), Ordering::Relaxed);
        self.wake(limiter, now);
    }

    /// Returns a permit to the store, and wakes a call that waits for one. The return of a permit that was held is
    /// repeated until the store confirms it, by another runtime if this one is late. The return of a permit whose reply
    /// was lost is sent only once, because there may be very many such permits during an outage.
    pub(crate) fn release(&self, limiter: &RateLimiter, source: Source, request: &Request) {
        let was_held = self.with(|table| table.permits.contains_key(&(source, request.permit())));
        let due = was_held.then(|| self.insert(source, request, true));
        let returned = limiter
            .adjust(source, &[request.adjustment(request.cost(), Change::Give(request.permit()))])
            .into_kind();
        if let Some(due) = due
            && !matches!(returned, ReplyKind::Ready(Ok(_)))
        {
            self.wake(limiter, due);
        }
        let (owner, key, permit) = (Arc::downgrade(&limiter.shared), request.key().clone(), request.permit());
        limiter.shared.tasks.run(Reply::<Adjusted>::from(returned), move |result| {
            if let Some(shared) = owner.upgrade() {
                if result.is_ok() {
                    shared.renewals.with(|table| table.permits.remove(&(source, permit)));
                }
                shared.permit_waiters.wake(&key);
            }
        });
    }

    /// Returns all permits, including those whose holders still run, and those that are being returned: their request may be lost
    /// with its runtime, such as that of a worker of actix-web that has been stopped.
    pub(crate) fn release_all(&self, limiter: &RateLimiter) {
        let permits: Vec<(Source, Request)> = self.with(|table| {
            table.permits.values().map(|permit| (permit.source, permit.request.clone())).collect()
        });
        for (source, request) in permits {
            self.release(limiter, source, &request);
        }
    }

    /// Returns the permits that this runtime must renew or return now, and the time when the next permit is due.
    fn due(&self, runtime: Id) -> (Vec<(Request, Source, Change)>, Option<Instant>) {
        let now = Instant::now();
        self.with(|table| {
            table.permits.retain(|_, permit| !permit.released || now < permit.ends);
            let mut due = Vec::new();
            for permit in table.permits.values_mut().filter(|permit| permit.due_in(runtime) <= now) {
                permit.due = now + permit.retry_delay();
                // This runtime renews the permit from now on.
                permit.runtime = Some(runtime);
                due.push((permit.request.clone(), permit.source, permit.change()));
            }
            let next = table.permits.values().map(|permit| permit.due_in(runtime)).min();
            match next {
                None => table.renewers.retain(|task| task.runtime != runtime),
                Some(next) => table
                    .renewers
                    .iter_mut()
                    .filter(|task| task.runtime == runtime)
                    .for_each(|task| task.until = next),
            }
            let overdue = table.permits.values().map(Permit::overdue).min();
            self.overdue_ms.store(overdue.map_or(NEVER, |overdue| self.ms(overdue)), Ordering::Relaxed);
            (due, next)
        })
    }

    /// Notes that these permits were renewed or returned by a request that was sent at `sent`.
    fn done(&self, permits: &[&(Request, Source, Change)], sent: Instant) {
        self.with(|table| {
            for (request, source, change) in permits {
                let id = (*source, request.permit());
                if let Change::Give(_) = change {
                    table.permits.remove(&id);
                } else if let Some(permit) = table.permits.get_mut(&id).filter(|permit| !permit.released) {
                    permit.due = sent + request.limit().time() / RENEWED_AFTER;
                    permit.ends = sent + request.limit().time();
                }
            }
        });
    }

    fn ms(&self, moment: Instant) -> u64 {
        u64::try_from(moment.saturating_duration_since(self.start).as_millis()).unwrap_or(NEVER - 1)
    }
}
