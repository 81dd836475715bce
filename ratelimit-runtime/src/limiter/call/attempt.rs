//! Decides one attempt of a call. Every call is decided here. The decisions are counted and recorded, and refusals become a
//! rejection.
//!
//! `names` are the names of the call's limits, in the order of the requests. `began` is set only if the call has already
//! waited, for the overrides or for another decision. `began` is the time at which the call began, so that the store has only
//! the rest of the deadline. If `began` is not set, the deadline begins when the store is asked.

use super::claim::{self, Refused};
use super::holdings::Holdings;
use super::member::{Member, Stack};
use super::record::Record;
use crate::context::RequestContext;
use crate::coop::poll_yield;
use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::key::Name;
use crate::limiter::RateLimiter;
use crate::limiter::layers::{Decided, longest_refusal};
use crate::observe::{Final, Outcome, Watch, report, unasked};
use crate::rejection::Rejection;
use crate::store::{Decisions, Mode, PendingReply, Request};
use smallvec::SmallVec;
use std::future::{Future, poll_fn};
use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::task::coop::poll_proceed;
use tokio::time::Instant;

impl RateLimiter {
    /// Decides requests whose units are never returned. If nothing has to be awaited, passes the decisions or the error to `then`,
    /// so that they need not be copied; [`passed`] tells whether the call passes. Otherwise returns the pending decision as `Err`.
    #[inline]
    pub(crate) fn attempt<'n, T>(
        &self,
        began: Option<Instant>,
        names: &[Name<'n>],
        requests: &[&Request],
        then: impl FnOnce(Result<&[Decision], Error>) -> T,
    ) -> Result<T, Pending<'n>> {
        let watch = self.watch(names, requests.iter().copied());
        let record = move || Record::of(names, requests.iter().copied().enumerate());
        let decided = self.decide(began, Mode::Check, requests, |decided| {
            let cost = move |at: usize| requests.get(at).map_or(1, |request| request.cost());
            conclude(names, cost, &watch, record, decided.as_ref().copied());
            then(decided.map(|(_, decisions)| decisions))
        });
        decided.map_err(|reply| {
            let name = first(names);
            let is_simple = matches!(requests, [request] if request.cost() == 1);
            let told = (!is_simple || Record::is_wanted(names) || !watch.is_plain()).then(|| {
                let limits = names.iter().zip(requests).map(|(name, request)| (*name, request.cost()));
                let (names, costs) = limits.unzip();
                Box::new(Told { record: record(), watch, names, costs })
            });
            Pending { name, told, reply }
        })
    }

    /// Decides a stack that may wait, or whose units can be returned. Reports the refusals by its shadow limits.
    ///
    /// If the future is dropped after the store has replied, all units are returned. If it is dropped before the reply, permits
    /// are returned, but the units of other limits may stay charged.
    pub(crate) async fn attempt_held(
        &self,
        began: Option<Instant>,
        names: &[Name<'_>],
        stack: Stack,
    ) -> Result<Holdings, Rejection> {
        let watch = self.watch(names, stack.iter().map(|member| &member.request));
        let refusing: SmallVec<[usize; 1]> = (0..stack.len()).filter(|at| !stack[*at].shadow).collect();
        let record = Record::of(names, refusing.iter().map(|at| (*at, &stack[*at].request)));
        match claim::admit(self, began, stack).await {
            Ok(holdings) => Ok(admitted(names, &watch, record, holdings)),
            Err(Refused::Limited(decided)) => {
                poll_fn(poll_yield).await;
                Err(refused(names, &refusing, &watch, record, &decided))
            }
            Err(Refused::Failed(error)) => {
                poll_fn(poll_yield).await;
                watch.undecided(names.iter().map(Name::as_str), &error);
                Err(unavailable(first(names), error))
            }
        }
    }

    #[inline]
    fn watch<'r>(&self, names: &[Name<'_>], requests: impl Iterator<Item = &'r Request>) -> Watch {
        let name = names.first().map_or("", Name::as_str);
        self.shared.watch.begin(self.keys(), name, requests.map(Request::key))
    }
}

fn admitted(names: &[Name<'_>], watch: &Watch, record: Option<Record>, mut holdings: Holdings) -> Holdings {
    let members = names.iter().zip(&holdings.members);
    watch.finished(members.map(|(name, member)| of_admitted(name.as_str(), member, &holdings)));
    let record = record.filter(|_| holdings.source != Source::Nobody);
    holdings.noted = record.map(|record| record.decided(holdings.decisions()));
    for (at, name) in names.iter().enumerate() {
        if let Some(decision) = holdings.shadow_refusal(at) {
            report::shadow_refusal(name.as_str(), decision.retry_after());
        } else if let Some(error) = holdings.shadow_error(at) {
            report::error(name.as_str(), error, SHADOW_UNDECIDED);
        }
    }
    holdings
}

/// Returns the outcome of a limit of an admitted call.
fn of_admitted<'n>(name: &'n str, member: &Member, holdings: &Holdings) -> Final<'n> {
    let decision = member.decision;
    let delay = decision.map(|decision| decision.delay()).filter(|delay| !delay.is_zero());
    let waited = if member.is_permit() { holdings.waited } else { delay };
    let outcome = match decision {
        Some(_) if member.shadow && member.takes_nothing => Outcome::ShadowLimited,
        None if member.shadow && member.takes_nothing => Outcome::ShadowUndecided,
        _ if member.shadow => Outcome::ShadowAllowed,
        _ => Outcome::admitted(holdings.source, waited.is_some()),
    };
    Final { name, outcome, decision, cost: member.request.cost(), waited }
}

/// Returns the rejection of a call that a limit has refused. `refusing` has the positions of the limits that may refuse the call.
fn refused(
    names: &[Name<'_>],
    refusing: &[usize],
    watch: &Watch,
    record: Option<Record>,
    Decided { source, decisions }: &Decided,
) -> Rejection {
    watch.finished(names.iter().enumerate().map(|(at, name)| {
        let decision =
            refusing.iter().zip(decisions).find(|(of, _)| **of == at).map(|(_, decision)| *decision);
        let refused = |decision| Outcome::refused(*source, decision);
        let outcome = decision.as_ref().map_or(Outcome::OtherLimited, refused);
        Final { name: name.as_str(), outcome, decision, cost: 0, waited: None }
    }));
    if let Some(record) = record {
        let _ = record.decided(decisions.iter().copied());
    }
    let longest = longest_refusal(decisions).unwrap_or_default();
    limited(names[refusing[longest]], decisions[longest])
}

/// Counts and records what was decided about requests whose units are never returned.
#[inline]
fn conclude(
    names: &[Name<'_>],
    cost: impl Fn(usize) -> u32,
    watch: &Watch,
    record: impl FnOnce() -> Option<Record>,
    decided: Result<(Source, &[Decision]), &Error>,
) {
    let (source, decisions) = match decided {
        Ok(decided) => decided,
        Err(error) => return watch.undecided(names.iter().map(Name::as_str), error),
    };
    watch.decided(source, decisions, |at| (names.get(at).map_or("", Name::as_str), cost(at)));
    // If only the failure policy has decided, nothing is recorded.
    if source != Source::Nobody
        && let Some(record) = record()
    {
        let _ = record.decided(decisions.iter().copied());
    }
}

/// Returns the decisions about a call that passes, or its rejection. A rejection is large, and a processor waits whenever one is
/// moved, so this is the last step of a call.
#[inline]
pub(crate) fn passed<D: Deref<Target = [Decision]>>(
    names: &[Name<'_>],
    decided: Result<D, Error>,
) -> Result<D, Rejection> {
    match decided {
        Ok(decisions) => match longest_refusal(&decisions) {
            None => Ok(decisions),
            Some(at) => Err(limited(names[at], decisions[at])),
        },
        Err(error) => Err(unavailable(first(names), error)),
    }
}

fn first<'n>(names: &[Name<'n>]) -> Name<'n> {
    names.first().copied().unwrap_or(Name::new(""))
}

/// Returns the rejection of a call that a limit has refused.
#[inline]
pub(crate) fn limited(name: Name<'_>, decision: Decision) -> Rejection {
    noted(name, Rejection::limited(name, decision))
}

/// Returns the rejection of a call that failed before a request was sent to the store.
#[cold]
pub(crate) fn failed(name: Name<'_>, error: Error) -> Rejection {
    unasked(name.as_str(), Outcome::undecided(&error));
    unavailable(name, error)
}

/// Reports a shadow limit that failed before a request was sent to the store. The call still runs.
#[cold]
pub(crate) fn shadow_failed(name: &str, error: &Error) {
    unasked(name, Outcome::ShadowUndecided);
    report::error(name, error, SHADOW_UNDECIDED);
}

/// The consequence of an error of a shadow limit, as text for the log.
const SHADOW_UNDECIDED: &str = "cannot decide about a shadow limit; the call runs";

/// Returns the rejection of a call whose limit could not be decided. Logs an error that an operator must fix.
#[cold]
pub(super) fn unavailable(name: Name<'_>, error: Error) -> Rejection {
    report::error(name.as_str(), &error, "cannot decide about this limit; rejecting its calls");
    noted(name, Rejection::undecided(name, error))
}

/// Notes the rejection in the request context, if the call belongs to a request. Returns the rejection.
#[inline]
fn noted(name: Name<'_>, rejection: Rejection) -> Rejection {
    if name.is_recorded() {
        RequestContext::record_rejection(&rejection);
    }
    rejection
}

/// A call that one reply of the store decides, and that waits for this reply.
pub(crate) struct Pending<'n> {
    /// The name of the call's first limit.
    name: Name<'n>,
    /// `None` if nothing observes the call, and the call has one limit and a cost of 1. The value is boxed, because nearly all
    /// calls have `None`.
    told: Option<Box<Told<'n>>>,
    reply: PendingReply<Decided>,
}

/// The observers of a pending decision: the request context, the hook and the span. Also the name and the cost of each limit.
struct Told<'n> {
    record: Option<Record>,
    watch: Watch,
    names: SmallVec<[Name<'n>; 2]>,
    costs: SmallVec<[u32; 2]>,
}

impl Future for Pending<'_> {
    type Output = Result<Decisions, Rejection>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // A store may reply at the first poll, so a loop over such calls yields here.
        let progress = ready!(poll_proceed(context));
        let decided = ready!(Pin::new(&mut self.reply).poll(context));
        progress.made_progress();
        Poll::Ready(match self.told.as_deref_mut() {
            Some(Told { record, watch, names, costs }) => {
                finished(names, costs, watch, || record.take(), decided)
            }
            None => finished(&[self.name], &[1], &Watch::default(), || None, decided),
        })
    }
}

/// Concludes decisions that were awaited. Returns them unchanged, or a rejection.
#[inline]
fn finished(
    names: &[Name<'_>],
    costs: &[u32],
    watch: &Watch,
    record: impl FnOnce() -> Option<Record>,
    decided: Result<Decided, Error>,
) -> Result<Decisions, Rejection> {
    let cost = |at: usize| costs.get(at).copied().unwrap_or(1);
    let read = decided.as_ref().map(|decided| (decided.source, &*decided.decisions));
    conclude(names, cost, watch, record, read);
    passed(names, decided.map(|decided| decided.decisions))
}

/// Returns the rejection of a call that a limit has refused, or that could not be decided.
#[cold]
pub(super) fn rejected(name: Name<'_>, ended: Result<Decision, Error>) -> Rejection {
    match ended {
        Ok(decision) => limited(name, decision),
        Err(error) => unavailable(name, error),
    }
}
