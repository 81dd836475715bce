//! `KeyLease`: the lease of one key, and what its next call does.

use super::under_way::{FetchUnderWay, TooFew};
use super::units::{LeasedUnits, Portion, Taken};
use crate::limit::Limit;
use crate::store::{Adjustment, Change, Request, StoreKey};
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Handle, Id};

/// The most fetches that one call waits for. A call may need several, because other calls may take the units, or the units
/// may be outdated on arrival.
const MOST_FETCHES: u32 = 2;

/// The lease of one key. It is stored in the table itself, so a call that finds units reads no other memory.
pub(super) struct KeyLease {
    pub(super) units: LeasedUnits,
    calls: Box<Calls>,
}

/// The calls and fetches of a key. Calls that find units do not need them.
#[derive(Default)]
struct Calls {
    key: StoreKey,
    /// The number of restarts. Units that were requested before the last one are returned on arrival.
    epoch: u64,
    /// The fetches under way. Each runtime has at most one, and its calls wait only for that one.
    fetches: SmallVec<[(Id, Arc<FetchUnderWay>); 1]>,
    /// The number of calls that wait, and the units that they need.
    waiting: u32,
    waiting_units: u32,
    /// The number of calls whose own requests are under way.
    own_requests: u32,
}

/// The results of the fetches that a call has waited for.
#[derive(Clone, Copy, Default)]
pub(super) struct Tried {
    pub(super) fetches: u32,
    pub(super) too_few: Option<TooFew>,
}

/// The next step of a call.
pub(super) enum Next {
    Decided(Taken),
    /// The call waits for a fetch. It is counted until `end_wait`.
    Wait(Arc<FetchUnderWay>),
    /// The call requests its own units. It is counted until `end_own_request`. Contains the epoch.
    RequestOwn(u64),
    /// The call asks the store as if there were no lease.
    WithoutLease,
}

/// A fetch that is to begin. Outside of a runtime it has no registration.
pub(super) struct Planned {
    pub(super) units: u32,
    /// The epoch of the lease when the fetch begins.
    pub(super) epoch: u64,
    /// The runtime in which it is registered, and what its waiting calls see of it.
    pub(super) registered: Option<(Handle, Arc<FetchUnderWay>)>,
}

impl KeyLease {
    pub(super) fn new(request: &Request, now: u64) -> Self {
        let calls = Calls { key: request.key().clone(), ..Calls::default() };
        Self { units: LeasedUnits::new(*request.limit(), now), calls: Box::new(calls) }
    }

    /// Determines the next step of a call that may have waited. `deadline` is the time after which a fetch is late. Returns the fetch
    /// that is to begin first, if there is one.
    pub(super) fn next(
        &mut self,
        request: &Request,
        tried: &Tried,
        deadline: Duration,
        now: u64,
        returned: &mut Vec<Adjustment>,
    ) -> Result<Next, Planned> {
        let (limit, cost) = (request.limit(), request.cost());
        if self.units.limit != *limit {
            returned.extend(self.restart(*limit, now));
        }
        let refused = |decision| Taken { decision, is_low: false };
        let taken = self.units.take(cost, now);
        if let Some(taken) = taken.or_else(|| self.units.refusal(cost, now).map(refused)) {
            return Ok(Next::Decided(taken));
        }
        if self.units.is_exhausted(now) {
            return Ok(Next::WithoutLease);
        }
        if tried.too_few.is_some() || tried.fetches >= MOST_FETCHES {
            return Ok(self.request_own());
        }
        // The runtime is looked up late, because all threads share its handle and most calls find units above.
        let runtime = Handle::try_current().ok();
        if let Some(under_way) = runtime.as_ref().and_then(|runtime| self.fetch_of(runtime.id())) {
            // Do not wait if the waiting calls already need the largest lease. Do not wait for a late fetch either: the
            // call's own request tells whether the store is slow.
            if under_way.began.elapsed() >= deadline || self.calls.waiting_units >= limit.largest_lease() {
                return Ok(Next::WithoutLease);
            }
            self.calls.waiting += 1;
            self.calls.waiting_units = self.calls.waiting_units.saturating_add(cost);
            return Ok(Next::Wait(under_way));
        }
        returned.extend(self.remove(|units| units.outdated(now)));
        // While another call of this key requests its own units, the fetch includes one more call of this cost.
        let expected = if self.calls.own_requests > 0 { cost } else { 0 };
        let wanted = self.units.wanted(cost, self.calls.waiting_units.saturating_add(expected), now);
        // All runtimes together fetch at most one largest lease.
        let units = wanted.min(limit.largest_lease().saturating_sub(self.being_fetched()));
        if units <= cost {
            return Ok(self.request_own());
        }
        Err(self.begin_fetch(units, runtime))
    }

    /// Begins to fetch units while some are left, if no fetch is under way.
    pub(super) fn fetch_in_advance(&mut self, now: u64) -> Option<Planned> {
        let runtime = Handle::try_current().ok()?;
        if !self.calls.fetches.is_empty() || self.units.is_exhausted(now) {
            return None;
        }
        let units = self.units.wanted_in_advance(now);
        (units > 0).then(|| self.begin_fetch(units, Some(runtime)))
    }

    /// Notes that a call no longer waits.
    pub(super) fn end_wait(&mut self, cost: u32) {
        self.calls.waiting -= 1;
        self.calls.waiting_units = self.calls.waiting_units.saturating_sub(cost);
    }

    fn request_own(&mut self) -> Next {
        self.calls.own_requests += 1;
        Next::RequestOwn(self.calls.epoch)
    }

    /// Notes that a call's own request is no longer under way. Returns whether the lease is still of the same epoch.
    pub(super) fn end_own_request(&mut self, epoch: u64) -> bool {
        self.calls.own_requests -= 1;
        self.calls.epoch == epoch
    }

    /// Returns the fetch under way in a runtime.
    fn fetch_of(&self, runtime: Id) -> Option<Arc<FetchUnderWay>> {
        self.calls.fetches.iter().find(|(of, _)| *of == runtime).map(|(_, fetch)| Arc::clone(fetch))
    }

    /// Registers a fetch until `end_fetch`.
    fn begin_fetch(&mut self, units: u32, runtime: Option<Handle>) -> Planned {
        let registered = runtime.map(|runtime| {
            let under_way = Arc::new(FetchUnderWay::new(units));
            self.calls.fetches.push((runtime.id(), Arc::clone(&under_way)));
            (runtime, under_way)
        });
        Planned { units, epoch: self.calls.epoch, registered }
    }

    /// The units that the fetches of all runtimes request.
    fn being_fetched(&self) -> u32 {
        self.calls.fetches.iter().fold(0, |units, (_, fetch)| units.saturating_add(fetch.units))
    }

    pub(super) fn end_fetch(&mut self, runtime: Id) {
        self.calls.fetches.retain(|(of, _)| *of != runtime);
        self.units.end_fetch();
    }

    /// Returns whether units that were requested in an epoch may be handed out.
    pub(super) fn is_of(&self, epoch: u64) -> bool {
        self.calls.epoch == epoch
    }

    /// Removes all units and begins a new epoch. Units of fetches under way will be returned.
    pub(super) fn restart(&mut self, limit: Limit, now: u64) -> Vec<Adjustment> {
        self.calls.epoch += 1;
        let returned = self.remove(|units| units.remove_all(now));
        self.units = LeasedUnits::new(limit, now);
        returned
    }

    /// Removes units. Returns how they are returned to the store.
    pub(super) fn remove(&mut self, units: impl FnOnce(&mut LeasedUnits) -> Vec<Portion>) -> Vec<Adjustment> {
        let unused = units(&mut self.units).into_iter().filter(|unused| unused.stamp > 0);
        let (key, limit) = (&self.calls.key, self.units.limit);
        unused
            .map(|unused| Adjustment::new(key.clone(), limit, unused.units, Change::Give(unused.stamp)))
            .collect()
    }

    /// Whether no call uses the lease.
    pub(super) fn is_idle(&self, now: u64) -> bool {
        let Calls { fetches, waiting, own_requests, .. } = &*self.calls;
        fetches.is_empty() && *waiting == 0 && *own_requests == 0 && self.units.is_idle(now)
    }
}
