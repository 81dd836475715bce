//! Units that this process has taken in advance, and hands out without asking the store.

use super::decide::{Outcome, Source};
use super::{RateLimiter, Shared};
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::limit::Limit;
use crate::store::{Adjustment, Change, Decisions, Mode, OwnedRequest, Reply, Request};
use smallvec::smallvec;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::sync::{Mutex as Turns, OwnedMutexGuard};
use tokio::time::Instant;

/// Units that nobody has asked for so long go back.
const IDLE: Duration = Duration::from_secs(1);
/// So many keys may have units on lease; the calls of others ask the store.
const MOST_KEYS: usize = 10_000;

/// What this process has on lease, by key.
#[derive(Default)]
pub(super) struct OnLease(Mutex<Table>);

#[derive(Default)]
struct Table {
    leases: HashMap<Vec<u8>, Arc<Turns<Lease>>>,
    returning: bool,
}

/// Units of one key. Who takes more from the store holds its lock meanwhile, so that a key is asked for once.
struct Lease {
    limit: Limit,
    units: u32,
    /// How many to ask for next.
    next: u32,
    /// What finds their charge.
    stamp: u64,
    /// What was left in the store besides.
    left: u32,
    /// The units count no more.
    void_at: Instant,
    used_at: Instant,
    /// The store has nothing to give: until then each call asks for itself, and no one waits for another.
    dry_until: Instant,
}

impl Lease {
    fn new(limit: Limit) -> Self {
        let now = Instant::now();
        Self { limit, units: 0, next: 1, stamp: 0, left: 0, void_at: now, used_at: now, dry_until: now }
    }

    fn take(&mut self, cost: u32) -> Option<Decision> {
        let now = Instant::now();
        if self.units < cost || now >= self.void_at {
            return None;
        }
        self.units -= cost;
        self.used_at = now;
        Some(self.decision())
    }

    fn decision(&self) -> Decision {
        let remaining = self.left.saturating_add(self.units).min(self.limit.capacity());
        Decision::allow(&self.limit, remaining, self.void_at.saturating_duration_since(Instant::now()))
    }

    /// What has come, for a call that takes a part of it.
    fn fill(&mut self, taken: u32, cost: u32, decision: &Decision, sent: Instant) {
        // What is left of the units before has the new stamp: it comes back as far as that was charged.
        let kept = if sent < self.void_at { self.units } else { 0 };
        self.units = kept + taken - cost;
        self.next = taken.saturating_mul(2).clamp(1, self.limit.largest_lease());
        (self.stamp, self.left) = (decision.stamp(), decision.remaining());
        // From the sending on, so that no unit is handed out after the store has forgotten it.
        (self.void_at, self.used_at) = (sent + decision.reset_after(), sent);
    }

    fn refused(&mut self, decision: &Decision, sent: Instant) {
        self.next = 1;
        self.dry_until = sent + decision.retry_after().unwrap_or(IDLE).min(IDLE);
    }

    fn is_dry(&self) -> bool {
        Instant::now() < self.dry_until
    }

    /// Units that go back.
    fn give_up(&mut self) -> u32 {
        let units = std::mem::take(&mut self.units);
        self.next = 1;
        if Instant::now() < self.void_at { units } else { 0 }
    }
}

impl OnLease {
    fn with<T>(&self, act: impl FnOnce(&mut Table) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The lease of a key, if there is room for one.
    fn of(&self, request: &Request<'_>) -> Option<Arc<Turns<Lease>>> {
        let key = request.key().as_bytes();
        self.with(|table| {
            if let Some(lease) = table.leases.get(key) {
                return Some(Arc::clone(lease));
            }
            let lease = Arc::new(Turns::new(Lease::new(*request.limit())));
            let room = table.leases.len() < MOST_KEYS;
            room.then(|| table.leases.insert(key.to_vec(), Arc::clone(&lease)));
            room.then_some(lease)
        })
    }

    /// Forgets what is on lease of a key: its state in the store is another one now.
    pub(super) fn forget(&self, key: &[u8]) {
        self.with(|table| table.leases.remove(key));
    }

    fn all(&self) -> Vec<(Vec<u8>, Arc<Turns<Lease>>)> {
        self.with(|table| table.leases.iter().map(|(key, lease)| (key.clone(), Arc::clone(lease))).collect())
    }
}

/// Whether a call may be answered from a lease.
pub(super) fn is_leased(mode: Mode, requests: &[Request<'_>]) -> bool {
    let [request] = requests else { return false };
    mode == Mode::Check && (1..=request.limit().largest_lease()).contains(&request.cost())
}

impl RateLimiter {
    /// Decides from what is on lease, or takes a lease. None if there is no room for one.
    pub(super) fn decide_by_lease(&self, request: &Request<'_>) -> Option<Reply<Outcome>> {
        let lease = self.shared.on_lease.of(request)?;
        if let Ok(mut lease) = lease.try_lock()
            && lease.limit == *request.limit()
        {
            if let Some(decision) = lease.take(request.cost()) {
                let outcome = Outcome { decisions: smallvec![decision], source: Source::Store };
                return Some(Reply::ready(Ok(outcome)));
            }
            if lease.is_dry() {
                return None;
            }
        }
        let (limiter, owned) = (self.clone(), OwnedRequest::of(request));
        let mut taken = Box::pin(async move {
            let lease = lease.lock_owned().await;
            limiter.take_lease(lease, &owned.request()).await.map(|decision| smallvec![decision])
        });
        // A store in this process answers at once, with a runtime or without.
        if let Poll::Ready(answer) = taken.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return Some(Reply::ready(self.conclude(answer, Mode::Check, &[*request])));
        }
        let (limiter, owned) = (self.clone(), OwnedRequest::of(request));
        Some(Reply::pending(async move {
            let answer = limiter.within_deadline(Reply::Pending(taken)).await;
            limiter.conclude(answer, Mode::Check, &[owned.request()])
        }))
    }

    /// Asks for as many units as were of use, and for fewer if there are not so many.
    async fn take_lease(
        &self,
        mut lease: OwnedMutexGuard<Lease>,
        request: &Request<'_>,
    ) -> Result<Decision, Error> {
        let (limit, cost) = (*request.limit(), request.cost());
        if lease.limit != limit {
            let units = lease.give_up();
            self.give_lease_back(request.key().as_bytes(), &lease.limit, lease.stamp, units);
            *lease = Lease::new(limit);
        }
        // Somebody else may have taken one meanwhile.
        if let Some(decision) = lease.take(cost) {
            return Ok(decision);
        }
        if lease.is_dry() {
            drop(lease);
            return self.ask_one(Mode::Check, *request).await;
        }
        let (mut units, mut fewer) = (lease.next.max(cost), false);
        loop {
            let sent = Instant::now();
            let asked = Request::new(*request.key(), &limit, units);
            let decision = self.ask_one(Mode::Charge, asked).await?;
            if decision.allowed() {
                lease.fill(units, cost, &decision, sent);
                self.return_idle_leases();
                return Ok(lease.decision());
            }
            if units == cost {
                lease.refused(&decision, sent);
                return Ok(decision);
            }
            // Then what is left, and at last the call's own cost, whose refusal says when to come again.
            units = if fewer { cost } else { decision.remaining().max(cost) };
            fewer = true;
        }
    }

    async fn ask_one(&self, mode: Mode, request: Request<'_>) -> Result<Decision, Error> {
        let answer: Decisions = self.shared.store.decide(mode, &[request]).await?;
        answer
            .first()
            .copied()
            .ok_or_else(|| Error::new(ErrorKind::Configuration, "the store has not answered a request"))
    }

    fn give_lease_back(&self, key: &[u8], limit: &Limit, stamp: u64, units: u32) {
        if units > 0 && stamp > 0 {
            let give = Adjustment::new(crate::key::StoreKey::new(key), limit, units, Change::Give(stamp));
            self.shared.background.run(self.adjust(Source::Store, &[give]), |_| {});
        }
    }

    /// Gives all units back that are on lease.
    pub(super) async fn give_leases_back(&self) {
        for (key, lease) in self.shared.on_lease.all() {
            let mut lease = lease.lock().await;
            let units = lease.give_up();
            self.give_lease_back(&key, &lease.limit, lease.stamp, units);
        }
    }

    /// Starts the task that gives unused units back, if there is none.
    fn return_idle_leases(&self) {
        if let Ok(runtime) = tokio::runtime::Handle::try_current()
            && !self.shared.on_lease.with(|table| std::mem::replace(&mut table.returning, true))
        {
            runtime.spawn(return_idle(Returner(Arc::downgrade(&self.shared))));
        }
    }

    /// Gives back what nobody has asked for; answers whether something is left.
    fn return_idle(&self) -> bool {
        let now = Instant::now();
        for (key, lease) in self.shared.on_lease.all() {
            // One that is locked is in use.
            let Ok(mut lease) = lease.try_lock() else { continue };
            if now.duration_since(lease.used_at) >= IDLE {
                let units = lease.give_up();
                self.give_lease_back(&key, &lease.limit, lease.stamp, units);
                self.shared.on_lease.forget(&key);
            }
        }
        self.shared.on_lease.with(|table| {
            table.returning = !table.leases.is_empty();
            table.returning
        })
    }
}

/// Says so when its task ends, also with its runtime: then the next lease starts another.
struct Returner(Weak<Shared>);

impl Drop for Returner {
    fn drop(&mut self) {
        if let Some(shared) = self.0.upgrade() {
            shared.on_lease.with(|table| table.returning = false);
        }
    }
}

async fn return_idle(returner: Returner) {
    loop {
        tokio::time::sleep(IDLE / 2).await;
        let Some(limiter) = returner.0.upgrade().map(RateLimiter::of) else { return };
        if !limiter.return_idle() {
            return;
        }
    }
}
