//! `Permits`: renews the permits that this limiter holds. It also returns permits that were dropped, and permits that the store
//! may have given to a call that got no reply.
//!
//! Each runtime in which a permit was taken has a task that renews its permits. If that runtime is blocked, idle or shut down,
//! the task of another runtime renews them. If no other runtime has a task, the next call starts one.

mod lost;
mod renew;
mod taken;
#[cfg(test)]
mod tests;
mod waiters;

pub(super) use taken::Stage;
pub(super) use waiters::PermitWaiter;

use crate::clock::timer;
use crate::decision::Source;
use crate::error::Error;
use crate::limiter::RateLimiter;
use crate::store::{Adjusted, Adjustment, Change, Reply, Request};
use parking_lot::Mutex;
use renew::Renewer;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use taken::{PermitId, Sleeping, Table, TakenPermit};
use tokio::runtime::{Handle, Id};
use tokio::sync::Notify;
use tokio::time::Instant;
use waiters::PermitWaiters;

/// When permits are overdue, a call makes its own runtime renew them. If the permits are still overdue after this time, another
/// call does the same.
const TAKEN_OVER_AGAIN_AFTER: Duration = Duration::from_millis(500);
/// The value for no overdue permit.
const NEVER: u64 = u64::MAX;

/// The permits that a limiter holds or returns.
pub(super) struct Permits {
    table: Mutex<Table>,
    start: Instant,
    /// The time at which the next permit may be overdue, in milliseconds from the start. Any runtime may renew an overdue permit.
    overdue_ms: AtomicU64,
    /// The calls that wait for a permit.
    pub(super) waiters: PermitWaiters,
}

impl Default for Permits {
    fn default() -> Self {
        let (table, waiters) = (Mutex::default(), PermitWaiters::default());
        Self { table, start: Instant::now(), overdue_ms: AtomicU64::new(NEVER), waiters }
    }
}

impl Permits {
    fn with<T>(&self, act: impl FnOnce(&mut Table) -> T) -> T {
        act(&mut self.table.lock())
    }

    /// Renews this permit from now on. Outside of a runtime, which only the memory store permits, no task is started. If no
    /// task of another runtime renews the permit, the permit then ends with its lease. `shown_name` is the name of the limit for
    /// metrics and log lines. `sent` is the time at which the request for the permit was sent.
    pub(super) fn hold(
        &self,
        limiter: &RateLimiter,
        source: Source,
        request: &Request,
        shown_name: &'static str,
        sent: Instant,
    ) {
        // A permit that nobody has given has no lease.
        if source != Source::Nobody {
            let mut permit = TakenPermit::held(request, source, current_runtime(), sent);
            permit.shown_name = shown_name;
            self.insert(limiter, permit);
        }
    }

    /// Inserts a permit into the table, and makes sure that a task wakes when the permit is due.
    fn insert(&self, limiter: &RateLimiter, permit: TakenPermit) {
        let (due, overdue_ms) = (permit.due, self.ms(permit.overdue()));
        self.with(|table| {
            table.insert((permit.source, permit.request.permit()), permit);
            self.overdue_ms.fetch_min(overdue_ms, Ordering::Relaxed);
        });
        self.wake(limiter, due);
    }

    /// Makes sure that the task of the current runtime wakes at the time `before` or earlier. If the runtime has no task, starts
    /// one.
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
            let renewer = Renewer { limiter, runtime: runtime.id(), woken };
            // If the runtime has no timers, the renewer is dropped here, which removes it from the table.
            if timer::runtime().is_ok() {
                runtime.spawn(renew::renew(renewer));
            }
        }
    }

    /// Makes the task of the current runtime renew overdue permits.
    pub(super) fn take_over(&self, limiter: &RateLimiter, now: Instant) {
        let overdue_ms = self.overdue_ms.load(Ordering::Relaxed);
        if overdue_ms == NEVER || self.ms(now) < overdue_ms {
            return;
        }
        // The task computes when the next permit is overdue. If the task is late too, a later call takes over.
        self.overdue_ms.store(self.ms(now + TAKEN_OVER_AGAIN_AFTER), Ordering::Relaxed);
        self.wake(limiter, now);
    }

    /// Returns a permit to the store, and wakes a call that waits for a permit of this key. The `stage` determines whether the
    /// return is repeated. If this runtime is late, another runtime repeats the return.
    pub(super) fn release(&self, limiter: &RateLimiter, source: Source, request: &Request, stage: Stage) {
        let id = (source, request.permit());
        let returned = limiter
            .shared
            .policy
            .adjust(source, &[request.adjustment(request.cost(), Change::Give(request.permit()))]);
        if matches!(returned, Reply::Ready(Ok(_))) {
            self.with(|table| table.permits.remove(&id));
            return limiter.shared.permits.waiters.wake(request.key());
        }
        let task = limiter.shared.tasks.count();
        let permit = TakenPermit::held(request, source, current_runtime(), Instant::now());
        self.insert(limiter, permit.released(stage, limiter.shared.store.within(), task));
        let (owner, key) = (Arc::downgrade(&limiter.shared), request.key().clone());
        returned.in_background(&limiter.shared.tasks, move |result| {
            if let Some(shared) = owner.upgrade() {
                let limiter = RateLimiter::of(shared);
                limiter.shared.permits.replied(&limiter, id, result);
                limiter.shared.permits.waiters.wake(&key);
            }
        });
    }

    /// Notes the reply to the return of a permit.
    fn replied(&self, limiter: &RateLimiter, id: PermitId, result: Result<Adjusted, Error>) {
        let again = self.with(|table| {
            match result {
                Ok(units) => table.returned(id, units.first().copied().unwrap_or(0)),
                Err(_) => table.failed(id),
            }
            table.permits.get(&id).map(|permit| permit.due)
        });
        if let Some(again) = again {
            self.wake(limiter, again);
        }
    }

    /// Returns all permits: those whose holders still run, and those that another runtime is returning. A request that another
    /// runtime has sent may be lost when that runtime shuts down, as with a stopped worker of actix-web.
    pub(super) fn release_all(&self, limiter: &RateLimiter) {
        let (now, here) = (Instant::now(), current_runtime());
        let is_on_its_way =
            |permit: &TakenPermit| permit.stage != Stage::Held && now < permit.due && permit.runtime == here;
        let permits: Vec<(Source, Request, Stage)> = self.with(|table| {
            let to_release = table.permits.values().filter(|permit| !is_on_its_way(permit));
            to_release.map(|permit| (permit.source, permit.request.clone(), permit.stage)).collect()
        });
        for (source, request, stage) in permits {
            let stage = if stage == Stage::Held { Stage::Returned } else { stage };
            self.release(limiter, source, &request, stage);
        }
    }

    /// Selects the permits that this runtime must renew or return now. Returns the adjustments to send, and the time at which
    /// the next permit is due. This time is `None` if the table has no permit.
    fn due(&self, runtime: Id) -> (BTreeMap<Source, Vec<Adjustment>>, Option<Instant>) {
        let now = Instant::now();
        self.with(|table| {
            table.permits.retain(|_, permit| !permit.is_over(now));
            let mut due: BTreeMap<Source, Vec<Adjustment>> = BTreeMap::new();
            for permit in table.permits.values_mut().filter(|permit| permit.due_in(runtime) <= now) {
                permit.sent(runtime, now);
                due.entry(permit.source).or_default().push(permit.change());
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
            let overdue = table.permits.values().map(TakenPermit::overdue).min();
            self.overdue_ms.store(overdue.map_or(NEVER, |overdue| self.ms(overdue)), Ordering::Relaxed);
            (due, next)
        })
    }

    fn ms(&self, moment: Instant) -> u64 {
        u64::try_from(moment.saturating_duration_since(self.start).as_millis()).unwrap_or(NEVER - 1)
    }
}

fn current_runtime() -> Option<Id> {
    Handle::try_current().ok().map(|runtime| runtime.id())
}
