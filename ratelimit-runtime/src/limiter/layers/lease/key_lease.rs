//! `KeyLease`: the lease of one key. It determines the next step of each call.

use super::under_way::{FetchUnderWay, TooFew};
use super::units::{LeasedUnits, Portion, Taken};
use crate::limit::Limit;
use crate::store::{Adjustment, Change, Request, StoreKey};
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Handle, Id};

/// The most fetches that one call waits for. One fetch may not be enough: other calls may take its units, or its units may be
/// outdated on arrival.
const MOST_FETCHES: u32 = 2;

/// The lease of one key. It is stored in the table itself, so a call that finds units reads no other memory.
pub(super) struct KeyLease {
    pub(super) units: LeasedUnits,
    calls: Box<Calls>,
}

/// The calls and fetches of a key. A call that finds units does not read them.
#[derive(Default)]
struct Calls {
    key: StoreKey,
    /// The number of restarts. Units that were requested before the last restart are returned when they arrive.
    epoch: u64,
    /// The fetches under way. Each runtime has at most one, and calls wait only for the fetch of their own runtime.
    fetches: SmallVec<[(Id, Arc<FetchUnderWay>); 1]>,
    /// The number of waiting calls, and the units that these calls need.
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
    /// The call waits for this fetch. The lease counts the call until `end_wait`.
    Wait(Arc<FetchUnderWay>),
    /// The call requests its own units. The lease counts the request until `end_own_request`. Contains the epoch of the lease.
    RequestOwn(u64),
    /// The call asks the store as if there were no lease.
    WithoutLease,
}

/// A fetch that the caller must begin. Outside of a runtime, the fetch is not registered.
pub(super) struct Planned {
    pub(super) units: u32,
    /// The epoch of the lease when the fetch begins.
    pub(super) epoch: u64,
    /// The runtime in which the fetch is registered, and the progress that its waiting calls watch.
    pub(super) registered: Option<(Handle, Arc<FetchUnderWay>)>,
}

impl KeyLease {
    pub(super) fn new(request: &Request, now: u64) -> Self {
        let calls = Calls { key: request.key().clone(), ..Calls::default() };
        Self { units: LeasedUnits::new(*request.limit(), now), calls: Box::new(calls) }
    }

    /// Determines the next step of a call, which may have waited before. A fetch that began longer ago than `deadline` is late.
    /// If the call must first begin a fetch, returns the fetch as `Err`.
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
        // The lookup of the runtime comes late, because all threads share its handle and most calls find units above.
        let runtime = Handle::try_current().ok();
        if let Some(under_way) = runtime.as_ref().and_then(|runtime| self.fetch_of(runtime.id())) {
            // Do not wait if the waiting calls already need the largest lease. Do not wait for a late fetch either: the reply to
            // the call's own request shows whether the store is slow.
            if under_way.began.elapsed() >= deadline || self.calls.waiting_units >= limit.largest_lease() {
                return Ok(Next::WithoutLease);
            }
            self.calls.waiting += 1;
            self.calls.waiting_units = self.calls.waiting_units.saturating_add(cost);
            return Ok(Next::Wait(under_way));
        }
        returned.extend(self.remove(|units| units.outdated(now)));
        // While another call of this key requests its own units, the fetch also takes units for one further call of this cost.
        let expected = if self.calls.own_requests > 0 { cost } else { 0 };
        let wanted = self.units.wanted(cost, self.calls.waiting_units.saturating_add(expected), now);
        // All runtimes together fetch at most `largest_lease` units at a time.
        let units = wanted.min(limit.largest_lease().saturating_sub(self.being_fetched()));
        if units <= cost {
            return Ok(self.request_own());
        }
        Err(self.begin_fetch(units, runtime))
    }

    /// Plans a fetch in advance, while some units are left. Returns `None` if nothing should be fetched now, for example
    /// because a fetch is under way.
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

    /// Notes that a call's own request is no longer under way. Returns whether the lease is still in this epoch.
    pub(super) fn end_own_request(&mut self, epoch: u64) -> bool {
        self.calls.own_requests -= 1;
        self.calls.epoch == epoch
    }

    /// Returns the fetch that is under way in a runtime. `None` if no fetch is under way there.
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

    /// Returns how many units the fetches of all runtimes request together.
    fn being_fetched(&self) -> u32 {
        self.calls.fetches.iter().fold(0, |units, (_, fetch)| units.saturating_add(fetch.units))
    }

    pub(super) fn end_fetch(&mut self, runtime: Id) {
        self.calls.fetches.retain(|(of, _)| *of != runtime);
        self.units.end_fetch();
    }

    /// Whether the lease is still in this epoch. If not, units that were requested in the epoch must be returned.
    pub(super) fn is_of(&self, epoch: u64) -> bool {
        self.calls.epoch == epoch
    }

    /// Removes all units and begins a new epoch. Units that are being fetched are returned when they arrive. Returns the
    /// adjustments that return the removed units.
    pub(super) fn restart(&mut self, limit: Limit, now: u64) -> Vec<Adjustment> {
        self.calls.epoch += 1;
        let returned = self.remove(|units| units.remove_all(now));
        self.units = LeasedUnits::new(limit, now);
        returned
    }

    /// Removes the units that `units` selects. Returns the adjustments that return them to the store.
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
