//! `Check`: the decision about a call whose units are never returned, which is the most frequent case.

use super::admission;
use super::call::{Call, Calls, Names};
use super::record::Record;
use super::site::{Site, SiteRequest};
use crate::context::RequestContext;
use crate::error::Error;
use crate::key::Name;
use crate::limiter::current::current;
use crate::limiter::{Decided, DecidedRef, RateLimiter, Stack, join, undecided};
use crate::observe::{self, Watch};
use crate::rejection::Rejection;
use crate::store::{Mode, PendingReply, Request};
use smallvec::{SmallVec, smallvec};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A future of the decision about a call. If the call waits for a turn, the future is ready at its turn.
#[must_use = "the decision must be awaited"]
pub struct Check(State);

enum State {
    Admitted,
    /// `None` after the future was ready.
    Refused(Option<Rejection>),
    /// The reply of the store is the whole decision.
    Deciding {
        names: Names,
        /// `None` if nobody listens. Boxed, because few calls have listeners.
        listeners: Option<Box<Listeners>>,
        reply: PendingReply<Decided>,
    },
    /// All other calls, such as calls that may wait for a turn or must load the overrides first.
    Admitting(Pin<Box<dyn Future<Output = Result<(), Rejection>> + Send>>),
}

/// What is told of a pending decision: the request context, the hook and the span.
#[derive(Default)]
struct Listeners {
    record: Option<Record>,
    watch: Watch,
}

impl Call {
    /// Decides the call. A store that replies at once has decided when this returns. The future borrows nothing.
    ///
    /// The call is large, so it is decided where it is. It cannot be started again.
    pub fn start(&mut self) -> Check {
        if self.is_skipped() {
            observe::exempt(self.name().as_str());
            return Check(State::Admitted);
        }
        if self.is_shadow() || !self.knows_overrides() {
            return self.start_admission();
        }
        let (name, charges_after) = (self.name(), self.charges_after());
        match self.complete() {
            Ok((limiter, request)) if !charges_after && request.limit().is_charged_at_once() => {
                Check::decide(limiter, name, request)
            }
            Ok((limiter, _)) => {
                let limiter = limiter.clone();
                self.admit_completed(limiter)
            }
            Err(error) => Check::failed(name, error),
        }
    }

    #[cold]
    fn start_admission(&self) -> Check {
        Check::admitting(self.clone().admit())
    }

    #[inline(never)]
    fn admit_completed(&self, limiter: RateLimiter) -> Check {
        let stack = smallvec![self.clone().into_member()];
        Check::admitting(admission::admit(limiter, smallvec![self.name()], stack))
    }
}

impl Calls {
    /// Decides the limits together, as [`Call::start`].
    pub fn start(self) -> Check {
        if self.0.iter().any(|call| call.is_shadow() || !call.knows_overrides()) {
            return Check::admitting(self.admit());
        }
        let (mut names, mut stack, mut first) = (Names::new(), Stack::new(), None::<RateLimiter>);
        let is_decided = |call: &Call| !call.is_skipped() || observe::exempt(call.name().as_str());
        for mut call in self.0.into_iter().filter(is_decided) {
            let name = call.name();
            match call.complete() {
                Ok((limiter, _)) => first = first.or_else(|| Some(limiter.clone())),
                Err(error) => return Check::failed(name, error),
            }
            names.push(name);
            stack.push(call.into_member());
        }
        let Some(limiter) = first else { return Check::decided(Ok(())) };
        if stack.iter().any(|member| !member.is_only_checked()) {
            return Check::admitting(admission::admit(limiter, names, stack));
        }
        join(stack.iter_mut().map(|member| &mut member.request));
        let members = names.iter().zip(&stack).enumerate();
        let record = Record::of(members.map(|(at, (name, member))| (at, *name, &member.request)));
        let watch = Watch::of(&limiter, names[0].as_str(), stack.iter().map(|member| &member.request));
        let requests: SmallVec<[Request; 1]> = stack.into_iter().map(|member| member.request).collect();
        let mut record = Some(record);
        let decided = limiter.decide(Mode::Check, &requests, |decided| {
            Check::decided(conclude(&names, &watch, || record.take().flatten(), decided))
        });
        decided.unwrap_or_else(|reply| {
            Check::deciding(names, Listeners { record: record.flatten(), watch }, reply)
        })
    }
}

impl Check {
    /// Decides a call of a site whose request is constant, as [`Call::start`].
    pub fn of_site(site: &'static Site, request: &'static SiteRequest) -> Self {
        let limiter = current(site.name.as_str());
        match limiter.as_deref().ok().and_then(|limiter| Some((limiter, request.of(site, limiter)?))) {
            Some((limiter, request)) => Self::decide(limiter, site.name, request),
            None => Call::with(site, limiter).start(),
        }
    }

    /// Decides a completed request, which stays where it is.
    fn decide(limiter: &RateLimiter, name: Name<'static>, request: &Request) -> Self {
        let record = || Record::of(std::iter::once((0, name, request)));
        let watch = Watch::of(limiter, name.as_str(), std::iter::once(request));
        let mut check = Self(State::Admitted);
        let decided = limiter.decide_one(Mode::Check, request, |decided| {
            if let Err(rejection) = conclude(&[name], &watch, record, decided) {
                check.0 = State::Refused(Some(rejection));
            }
        });
        if let Err(reply) = decided {
            check = Self::deciding(smallvec![name], Listeners { record: record(), watch }, reply);
        }
        check
    }

    /// The decision, unless the call is admitted at once.
    #[must_use]
    #[inline]
    pub fn pending(self) -> Option<Self> {
        if matches!(self.0, State::Admitted) { None } else { Some(self) }
    }

    /// The decision that [`pending`](Self::pending) has returned.
    #[inline]
    pub fn of_pending(pending: Option<Self>) -> Self {
        pending.unwrap_or(Self(State::Admitted))
    }

    fn deciding(names: Names, listeners: Listeners, reply: PendingReply<Decided>) -> Self {
        let is_heard = listeners.record.is_some() || !listeners.watch.is_plain();
        Self(State::Deciding { names, listeners: is_heard.then(|| Box::new(listeners)), reply })
    }

    fn decided(decided: Result<(), Rejection>) -> Self {
        match decided {
            Ok(()) => Self(State::Admitted),
            Err(rejection) => Self(State::Refused(Some(rejection))),
        }
    }

    /// A call whose limit cannot be decided.
    #[cold]
    fn failed(name: Name<'static>, error: Error) -> Self {
        observe::undecided(name.as_str(), &error);
        Self::decided(Err(undecided(name, error)))
    }

    fn admitting<T: Send>(admitted: impl Future<Output = Result<T, Rejection>> + Send + 'static) -> Self {
        Self(State::Admitting(Box::pin(async move { admitted.await.map(drop) })))
    }
}

/// Counts and records the decisions, and returns the rejection if a limit has refused the call.
#[inline]
fn conclude(
    names: &[Name<'static>],
    watch: &Watch,
    record: impl FnOnce() -> Option<Record>,
    decided: Result<DecidedRef<'_>, Error>,
) -> Result<(), Rejection> {
    let name = |at: usize| names.get(at).copied().unwrap_or(Name::new(""));
    watch.decided(
        names.len(),
        |at| names.get(at).map_or("", |name| name.as_str()),
        || decided.as_ref().copied(),
    );
    let decided = decided.map_err(|error| undecided(name(0), error))?;
    if decided.is_by_limits()
        && let Some(record) = record()
    {
        let _ = record.decided(decided.decisions.iter().copied().enumerate());
    }
    match decided.refused() {
        None => Ok(()),
        Some(at) => Err(Rejection::limited(name(at), decided.decisions[at])),
    }
}

impl Future for Check {
    type Output = Result<(), Rejection>;

    /// # Panics
    ///
    /// If it is polled again after it was ready.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let admitted = match &mut self.0 {
            State::Admitted => return Poll::Ready(Ok(())),
            State::Refused(rejection) => {
                // Read in place, because a rejection is large.
                rejection.as_ref().map(RequestContext::record_rejection);
                match rejection.take() {
                    Some(rejection) => return Poll::Ready(Err(rejection)),
                    #[expect(
                        clippy::panic,
                        reason = "futures may panic if they are polled after they were ready"
                    )]
                    None => panic!("polled after it was ready"),
                }
            }
            State::Deciding { names, listeners, reply } => {
                let decided = ready!(Pin::new(reply).poll(context));
                let decided = decided.as_ref().map(Decided::borrowed).map_err(Error::clone);
                let Listeners { record, watch } =
                    listeners.take().map_or_else(Listeners::default, |told| *told);
                conclude(names, &watch, || record, decided)
            }
            State::Admitting(future) => ready!(future.as_mut().poll(context)),
        };
        Poll::Ready(admitted.inspect_err(RequestContext::record_rejection))
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").finish_non_exhaustive()
    }
}
