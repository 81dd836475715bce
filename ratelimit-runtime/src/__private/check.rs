//! `Check`: the future that decides a call. It is optimized for calls whose units are never returned, the most frequent case.

use super::admission::{Admission, Admit, Calls, Completed};
use super::call::Call;
use super::site::Site;
use crate::coop::poll_yield;
use crate::decision::PackedDecision;
use crate::error::Error;
use crate::key::Name;
use crate::limit::Limit;
use crate::limiter::current::current;
use crate::limiter::{Member, Pending, RateLimiter, failed, join, limited, note, passed};
use crate::macros::opaque;
use crate::observe::{Outcome, unasked};
use crate::rejection::Rejection;
use crate::store::Request;
use crate::store::cost::Cost;
use smallvec::SmallVec;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The future of the decision about a call. If the call has to wait for its turn, the future completes at that turn.
#[must_use = "the decision must be awaited"]
pub struct Check(State);

enum State {
    Admitted,
    Refused(Ready<Rejection>),
    /// The reply of the store alone decides the call.
    Deciding(Pending<'static>),
    /// All other calls, such as calls that may wait for a turn or must load the overrides first.
    Admitting(Admit),
}

impl Call {
    /// Starts the decision. If the store replies at once, the call is already decided when this function returns. The future
    /// borrows nothing.
    ///
    /// `Call` is too large to move, so this function takes `&mut self`. Start each `Call` only once.
    pub fn start(&mut self) -> Check {
        if self.skipped {
            unasked(self.name().as_str(), Outcome::Exempt);
            return Check(State::Admitted);
        }
        if self.shadow || !self.knows_overrides() {
            return self.start_admission();
        }
        match self.decide_at_once() {
            Ok(Some(decision)) => return Check::decided(self.name(), &self.limit, decision),
            Ok(None) => {}
            Err(error) => return Check::refused(failed(self.name(), error)),
        }
        let (name, mut request) = (self.name(), self.request());
        match self.complete(&mut request) {
            Ok(limiter) if request.limit().is_charged_at_once() => Check::run(limiter, &[name], &[&request]),
            Ok(limiter) => {
                let limiter = limiter.clone();
                self.admit_completed(limiter, request)
            }
            Err(error) => Check::refused(failed(name, error)),
        }
    }

    /// Decides the call by the hash of its key, if this is possible.
    #[inline]
    fn decide_at_once(&mut self) -> Result<Option<PackedDecision>, Error> {
        match self.limiter.as_deref() {
            Ok(limiter) if self.key.is_folding() => {
                self.key.complete(limiter.keys())?;
                Ok(limiter.decide_at_once(&self.key, &self.limit, self.cost))
            }
            Ok(limiter)
                if limiter.decides_at_once(&self.limit)
                    && self.limit.is_charged_at_once()
                    && !self.key.has_caller() =>
            {
                self.key.complete(limiter.keys())?;
                note(self.key.name().as_str(), &self.limit, limiter, self.source);
                Ok(limiter.decide_at_once(&self.key, &self.limit, self.cost))
            }
            _ => Ok(None),
        }
    }

    #[cold]
    fn start_admission(&self) -> Check {
        Check(State::Admitting(self.clone().admit()))
    }

    #[inline(never)]
    fn admit_completed(&self, limiter: RateLimiter, request: Request) -> Check {
        let completed = Completed::of_one(limiter, self.name(), self.member(request, 0));
        Check(State::Admitting(Box::pin(completed.admit(None))))
    }
}

impl Calls {
    /// Decides the limits together, like [`Call::start`].
    pub fn start(self) -> Check {
        if !self.are_plain() {
            return Check(State::Admitting(self.admit()));
        }
        let mut completed = match self.complete() {
            Ok(Some(completed)) => completed,
            Ok(None) => return Check(State::Admitted),
            Err(rejection) => return Check::refused(rejection),
        };
        if !completed.stack.iter().all(Member::is_only_checked) {
            return Check(State::Admitting(Box::pin(completed.admit(None))));
        }
        join(completed.stack.iter_mut().map(|member| &mut member.request));
        let requests: SmallVec<[&Request; 2]> =
            completed.stack.iter().map(|member| &member.request).collect();
        Check::run(&completed.limiter, &completed.names, &requests)
    }
}

impl Check {
    /// Decides a call like [`Call::start`], for a site whose request is constant.
    pub fn of_site(site: &'static Site) -> Self {
        let limiter = current(site.name.as_str());
        let known = |limiter| Some((limiter, site.facts(limiter)?.request(limiter)?));
        match limiter.as_deref().ok().and_then(known) {
            Some((limiter, request)) if limiter.decides_at_once(request.limit()) => {
                let (limit, cost) = (request.limit(), Cost::new(1));
                let decision = limiter.decide_hash(site.name, request.key().hash(), limit, cost, || None);
                Self::decided(site.name, limit, decision)
            }
            Some((limiter, request)) => Self::run(limiter, &[site.name], &[request]),
            None => Call::with(site, limiter).start(),
        }
    }

    /// The future of a decision that was made at once.
    #[inline]
    fn decided(name: Name<'static>, limit: &Limit, decision: PackedDecision) -> Self {
        if decision.is_allowed() {
            return Self(State::Admitted);
        }
        Self(State::Refused(ready(limited(name, decision.decision(limit)))))
    }

    /// Decides completed requests without moving them.
    fn run(limiter: &RateLimiter, names: &[Name<'static>], requests: &[&Request]) -> Self {
        let mut check = Self(State::Admitted);
        let ended = limiter.attempt(None, names, requests, |decided| {
            if let Err(rejection) = passed(names, decided) {
                check.0 = State::Refused(ready(rejection));
            }
        });
        if let Err(pending) = ended {
            check.0 = State::Deciding(pending);
        }
        check
    }

    /// The decision that this future makes.
    pub(super) fn admitting(admit: Admit) -> Self {
        Self(State::Admitting(admit))
    }

    #[cold]
    fn refused(rejection: Rejection) -> Self {
        Self(State::Refused(ready(rejection)))
    }

    /// Returns the future, or `None` if the call is already admitted.
    #[inline]
    pub fn pending(self) -> Option<Self> {
        if matches!(self.0, State::Admitted) { None } else { Some(self) }
    }

    /// Restores the future from the result of [`pending`](Self::pending).
    #[inline]
    pub fn of_pending(pending: Option<Self>) -> Self {
        pending.unwrap_or(Self(State::Admitted))
    }
}

impl Future for Check {
    /// The admission. It is empty for most calls, because they hold no permit and no charge.
    type Output = Result<Admission, Rejection>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            State::Admitted => Poll::Ready(Ok(Admission::default())),
            State::Refused(refused) => {
                ready!(poll_yield(context));
                Pin::new(refused).poll(context).map(Err)
            }
            State::Deciding(pending) => Pin::new(pending).poll(context).map_ok(|_| Admission::default()),
            State::Admitting(admit) => admit.as_mut().poll(context),
        }
    }
}

opaque!(Check);
