//! Leases of units: a process takes units in advance and hands them out without asking the store.
//!
//! The layer [`Leases`] is between the failure policy and the remembered refusals. A call that finds units takes them from the
//! [`table`]. Any other call follows the steps of its [`KeyLease`]: it waits for a [`fetch`], or requests its own units from the
//! store.
//!
//! A lease follows its calls: a process takes the units that its calls use in 500 ms (100 ms for a bucket), and may hand them out
//! for four times as long. Units of one charge stay together, so that they are returned by their own stamp. The next units are
//! fetched while some are left.

mod call;
mod fetch;
mod key_lease;
mod table;
#[cfg(test)]
mod tests;
mod under_way;
mod units;
mod unused;

pub(in crate::limiter) use table::Leases;

use super::{Ask, Origin, Ready, Remembered};
use crate::decision::Decision;
use crate::error::Error;
use crate::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request};
use call::LeasingCall;
use fetch::Fetch;
use key_lease::{KeyLease, Next, Tried};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::time::Instant;
use under_way::FetchState;
use units::Taken;

/// Returns the request of a call that may use leased units. `None` for all other calls. A call that leaves units to others may
/// not use leased units, because only the store knows how many units are free.
#[inline]
fn leasable(ask: Ask<'_>) -> Option<&Request> {
    let [request] = ask.requests else { return None };
    let may_use = ask.mode == Mode::Check
        && request.keep() == 0
        && (1..=request.limit().largest_lease()).contains(&request.cost());
    may_use.then_some(*request)
}

impl Leases {
    /// Decides from leased units, or asks the layer below.
    #[inline]
    pub(super) fn decide<T>(
        self: &Arc<Self>,
        ask: Ask<'_>,
        then: impl FnOnce(Ready<'_>) -> T,
    ) -> Result<T, LeasedLater> {
        if let Some(request) = leasable(ask).filter(|_| self.takes) {
            if let Some(taken) = self.take(request) {
                return Ok(then(Ok((Origin::Known, &[self.taken(taken, request)]))));
            }
            match self.decide_by_fetch(ask.began, request) {
                Some(Ok(Ok(decision))) => return Ok(then(Ok((Origin::Store, &[decision])))),
                Some(Ok(Err(error))) => return Ok(then(Err(error))),
                Some(Err(call)) => return Err(LeasedLater::Leasing(call)),
                None => {}
            }
        }
        self.below.decide(ask, then).map_err(LeasedLater::Plain)
    }

    /// Changes units in the store. They were charged there, and are not leased.
    pub(super) fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        self.below.adjust(adjustments)
    }

    #[inline]
    fn taken(self: &Arc<Self>, taken: Taken, request: &Request) -> Decision {
        if taken.is_low {
            self.fetch_in_advance(request);
        }
        taken.decision
    }

    /// Begins to fetch units while some are left, so that no call has to wait.
    #[cold]
    fn fetch_in_advance(self: &Arc<Self>, request: &Request) {
        let (hash, now) = (request.key().hash(), self.now());
        if let Some(planned) = self.with(hash, |lease| lease.fetch_in_advance(now)).flatten() {
            Fetch::begin(self, hash, request, planned);
        }
    }

    /// Decides a call that has found no leased units. The call fetches units, waits for a fetch, or requests its own units.
    /// Returns `None` if the call asks the layer below as if there were no lease. Returns an `Err` if the call has to wait.
    fn decide_by_fetch(
        self: &Arc<Self>,
        began: Option<Instant>,
        request: &Request,
    ) -> Option<Result<Result<Decision, Error>, Box<LeasingCall>>> {
        let (began, hash) = (began.unwrap_or_else(Instant::now), request.key().hash());
        let mut tried = Tried::default();
        match self.step(hash, request, &mut tried) {
            Ok(Next::WithoutLease) => None,
            Ok(Next::Decided(taken)) => Some(Ok(Ok(self.taken(taken, request)))),
            Ok(next) => {
                let mut call = Box::new(LeasingCall::new(self, hash, request, began, tried));
                // A store in this process replies at once, with or without a runtime.
                Some(call.follow(next).ok_or(call))
            }
            Err(error) => Some(Ok(Err(error))),
        }
    }

    /// Determines the next step of a call. Begins the fetches that the lease has planned.
    fn step(self: &Arc<Self>, hash: u64, request: &Request, tried: &mut Tried) -> Result<Next, Error> {
        loop {
            let mut returned = Vec::new();
            let (now, deadline) = (self.now(), self.below.store().within());
            let next = |lease: &mut KeyLease| lease.next(request, tried, deadline, now, &mut returned);
            // If the table is full, the key has no lease, and the call asks the store.
            let next = self.with_inserted(hash, request, next).unwrap_or(Ok(Next::WithoutLease));
            self.return_units(returned);
            if !matches!(next, Ok(Next::Decided(_))) {
                self.start_returning();
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

/// Awaited decisions: of a call that follows its lease, or of the layer below.
pub(super) enum LeasedLater {
    Leasing(Box<LeasingCall>),
    Plain(Remembered),
}

impl LeasedLater {
    pub(super) fn read<T>(&self, read: impl FnOnce(&[&Request]) -> T) -> T {
        match self {
            Self::Leasing(call) => read(&[call.request()]),
            Self::Plain(remembered) => remembered.read(read),
        }
    }
}

impl Future for LeasedLater {
    type Output = Result<Decisions, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Leasing(call) => Pin::new(call).poll(context),
            Self::Plain(remembered) => Pin::new(remembered).poll(context),
        }
    }
}
