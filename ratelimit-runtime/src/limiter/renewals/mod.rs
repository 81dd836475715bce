//! The permits that this limiter holds: renewed while they are held, given back when they are not.
//!
//! Each runtime in which a permit was taken has a task that renews its permits. Permits whose runtime is late, because it
//! is blocked, idle or shut down, are renewed by any other such task, or by one that the next call starts.

mod task;

use super::RateLimiter;
use super::decide::Source;
use crate::store::{Adjusted, Answer, Change, Reply, Request};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::{Handle, Id};
use tokio::sync::Notify;
use tokio::time::Instant;

/// A lease is renewed when this part of it has passed.
const RENEWED_AFTER: u32 = 3;
/// A renewal that has failed is tried again after this part of the lease. Other runtimes renew a permit this much later
/// than its own.
const TRIED_AFTER: u32 = 9;
/// A return that has no reply after this time is sent again.
const RELEASED_AFTER: Duration = Duration::from_millis(500);
const NEVER: u64 = u64::MAX;

pub(crate) struct Renewals {
    table: Mutex<Table>,
    start: Instant,
    /// When some permit may be overdue, so that any runtime renews it. In milliseconds from the start.
    overdue_ms: AtomicU64,
}

#[derive(Default)]
struct Table {
    /// By who gave it, and its id: a permit of the store and one of its fall-back may have the same id.
    permits: HashMap<(Source, u64), Permit>,
    /// The tasks of the runtimes that have one.
    renewers: Vec<Sleeping>,
}

/// A task, and when it wakes.
struct Sleeping {
    runtime: Id,
    until: Instant,
    woken: Arc<Notify>,
}

struct Permit {
    request: Request,
    source: Source,
    /// The runtime that renews it first: the one in which it was taken, or the last one that took it over.
    runtime: Option<Id>,
    due: Instant,
    /// When its lease ends, unless it is renewed.
    ends: Instant,
    /// It is being given back.
    released: bool,
}

impl Permit {
    fn change(&self) -> Change {
        if self.released { Change::Give(self.request.permit()) } else { Change::Renew(self.request.permit()) }
    }

    /// How long to wait for the reply to a renewal or a return, before it is sent again.
    fn patience(&self) -> Duration {
        let tried_after = self.request.limit().time() / TRIED_AFTER;
        if self.released { tried_after.min(RELEASED_AFTER) } else { tried_after }
    }

    /// When this runtime renews it. The permit's own runtime is first.
    fn due_in(&self, runtime: Id) -> Instant {
        if self.runtime == Some(runtime) { self.due } else { self.overdue() }
    }

    fn overdue(&self) -> Instant {
        self.due + if self.released { Duration::ZERO } else { self.request.limit().time() / TRIED_AFTER }
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

    /// Renews this permit from now on. Without a runtime, which only the memory store can do without, it lasts as long
    /// as its lease.
    pub(crate) fn hold(&self, limiter: &RateLimiter, source: Source, request: &Request) {
        let due = self.keep(source, request, false);
        self.wake(limiter, due);
    }

    /// Puts a permit into the table. Returns when it is due.
    fn keep(&self, source: Source, request: &Request, released: bool) -> Instant {
        let (runtime, now) = (Handle::try_current().ok().map(|runtime| runtime.id()), Instant::now());
        let (due, ends) = (now + request.limit().time() / RENEWED_AFTER, now + request.limit().time());
        let mut permit = Permit { request: request.clone(), source, runtime, due, ends, released };
        if released {
            permit.due = now + permit.patience();
        }
        let (due, overdue_ms) = (permit.due, self.ms(permit.overdue()));
        self.with(|table| {
            table.permits.insert((source, request.permit()), permit);
            self.overdue_ms.fetch_min(overdue_ms, Ordering::Relaxed);
        });
        due
    }

    /// Starts the task of the current runtime, unless there is one. Wakes it, unless it wakes by itself before that moment.
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
            runtime.spawn(task::renew(task::Renewer { limiter, runtime: runtime.id(), woken }));
        }
    }

    /// Renews in the current runtime what no other one has renewed in time.
    pub(crate) fn take_over(&self, limiter: &RateLimiter, now: Instant) {
        let overdue_ms = self.overdue_ms.load(Ordering::Relaxed);
        if overdue_ms == NEVER || self.ms(now) < overdue_ms {
            return;
        }
        // The task finds out when the next permit is overdue. If the task is late too, another call takes over.
        self.overdue_ms.store(self.ms(now + RELEASED_AFTER), Ordering::Relaxed);
        self.wake(limiter, now);
    }

    /// Gives a permit back, and wakes one that waits for it. Until the store has confirmed that, a permit that was held is
    /// given back again, by another runtime if this one is late. One that the store may have given without a reply is
    /// given back once: during an outage there may be very many.
    pub(crate) fn release(&self, limiter: &RateLimiter, source: Source, request: &Request) {
        let was_held = self.with(|table| table.permits.contains_key(&(source, request.permit())));
        let due = was_held.then(|| self.keep(source, request, true));
        let answer = limiter
            .adjust(source, &[request.adjustment(request.cost(), Change::Give(request.permit()))])
            .into_answer();
        if let Some(due) = due
            && !matches!(answer, Answer::Ready(Some(Ok(_))))
        {
            self.wake(limiter, due);
        }
        let (owner, key, permit) = (Arc::downgrade(&limiter.shared), request.key().clone(), request.permit());
        limiter.shared.tasks.run(Reply::<Adjusted>::from(answer), move |answer| {
            if let Some(shared) = owner.upgrade() {
                if answer.is_ok() {
                    shared.renewals.with(|table| table.permits.remove(&(source, permit)));
                }
                shared.permit_waiters.wake(&key);
            }
        });
    }

    /// Gives all permits back, also those whose holders still run.
    pub(crate) fn release_all(&self, limiter: &RateLimiter) {
        let now = Instant::now();
        let is_on_its_way = |permit: &Permit| permit.released && now < permit.due;
        let permits: Vec<(Source, Request)> = self.with(|table| {
            let to_release = table.permits.values().filter(|permit| !is_on_its_way(permit));
            to_release.map(|permit| (permit.source, permit.request.clone())).collect()
        });
        for (source, request) in permits {
            self.release(limiter, source, &request);
        }
    }

    /// The permits that this runtime is to renew or give back now, and when the next one is due.
    fn due(&self, runtime: Id) -> (Vec<(Request, Source, Change)>, Option<Instant>) {
        let now = Instant::now();
        self.with(|table| {
            table.permits.retain(|_, permit| !permit.released || now < permit.ends);
            let mut due = Vec::new();
            for permit in table.permits.values_mut().filter(|permit| permit.due_in(runtime) <= now) {
                permit.due = now + permit.patience();
                // From now on it is this runtime's to renew.
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

    /// Notes that these permits were renewed or given back by a call that was sent then.
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
