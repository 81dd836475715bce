//! Leases of units: a process takes units in advance and hands them out without asking the store.
//!
//! A call that finds units takes them from the [`table`]. Any other call follows the steps of its [`KeyLease`]: it waits for a
//! [`fetch`], or requests its own units from the store.

mod call;
mod fetch;
mod key_lease;
mod table;
#[cfg(test)]
mod tests;
mod under_way;
mod units;
mod unused;

pub(super) use table::Leases;

use super::RateLimiter;
use super::store_call::Decided;
use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::store::{Decisions, Mode, Reply, Request};
use call::LeasingCall;
use fetch::Fetch;
use key_lease::{KeyLease, Next, Tried};
use tokio::time::Instant;
use under_way::FetchState;
use units::Taken;

/// Returns the request of a call that may use leased units. `None` for all other calls. A call that leaves units to others may
/// not use leased units, because only the store knows how many units are free.
#[inline]
pub(super) fn leasable<'r>(mode: Mode, requests: &[&'r Request]) -> Option<&'r Request> {
    let [request] = requests else { return None };
    let may_use = mode == Mode::Check
        && request.keep() == 0
        && (1..=request.limit().largest_lease()).contains(&request.cost());
    may_use.then_some(*request)
}

impl RateLimiter {
    /// Hands out leased units to a request. Returns `None` if there are too few.
    #[inline]
    pub(super) fn take_leased(&self, request: &Request) -> Option<Decision> {
        Some(self.taken(self.shared.leases.take(request)?, request))
    }

    #[inline]
    fn taken(&self, taken: Taken, request: &Request) -> Decision {
        if taken.is_low {
            self.fetch_in_advance(request);
        }
        taken.decision
    }

    /// Begins to fetch units while some are left, so that no call has to wait.
    #[cold]
    fn fetch_in_advance(&self, request: &Request) {
        let leases = &self.shared.leases;
        let (hash, now) = (request.key().hash(), leases.now());
        if let Some(planned) = leases.with(hash, |lease| lease.fetch_in_advance(now)).flatten() {
            Fetch::begin(self, hash, request, planned);
        }
    }

    /// Decides a call that has found no leased units. The call fetches units, waits for a fetch, or requests its own units.
    /// Returns `None` if the call asks the store as if there were no lease.
    pub(super) fn decide_by_lease(
        &self,
        began: Option<Instant>,
        request: &Request,
    ) -> Option<Reply<Decided>> {
        if !self.shared.leases.takes {
            return None;
        }
        let (began, hash) = (began.unwrap_or_else(Instant::now), request.key().hash());
        let mut tried = Tried::default();
        let decided = match self.step(hash, request, &mut tried) {
            Ok(Next::WithoutLease) => return None,
            Ok(Next::Decided(taken)) => {
                let decisions = Decisions::one(self.taken(taken, request));
                return Some(Reply::ready(Ok(Decided { decisions, source: Source::Store })));
            }
            Ok(next) => {
                let mut call = LeasingCall::new(self, hash, request, began, tried);
                match call.follow(next) {
                    // A store in this process replies at once, with or without a runtime.
                    Some(decided) => decided,
                    None => return Some(Reply::pending(call)),
                }
            }
            Err(error) => Err(error),
        };
        Some(Reply::ready(self.conclude(decided.map(Decisions::one), Mode::Check, &[request])))
    }

    /// Determines the next step of a call. Begins the fetches that the lease has planned.
    fn step(&self, hash: u64, request: &Request, tried: &mut Tried) -> Result<Next, Error> {
        let leases = &self.shared.leases;
        loop {
            let mut returned = Vec::new();
            let now = leases.now();
            let next = |lease: &mut KeyLease| {
                lease.next(request, tried, self.shared.store.deadline(), now, &mut returned)
            };
            // If the table is full, the key has no lease, and the call asks the store.
            let next = leases.with_inserted(hash, request, next).unwrap_or(Ok(Next::WithoutLease));
            self.return_units(returned);
            if !matches!(next, Ok(Next::Decided(_))) {
                self.start_returning();
                self.take_over_tasks(Instant::now());
            }
            let planned = match next {
                Ok(next) => return Ok(next),
                Err(planned) => planned,
            };
            match Fetch::begin(self, hash, request, planned) {
                FetchState::UnderWay | FetchState::Late(_) => {}
                FetchState::Ended => tried.fetches += 1,
                FetchState::TooFew(too_few) => tried.too_few = Some(too_few),
                FetchState::Failed(error) => return Err(error),
            }
        }
    }
}
