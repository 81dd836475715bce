//! `Attempt`: one attempt of a call. Every call is decided here, and here its decisions are counted, recorded and turned into a
//! rejection.

use super::claim;
use super::holdings::Holdings;
use super::member::{Member, Stack};
use super::name::CallName;
use super::record::Record;
use super::refused::{Refusal, Refused};
use crate::context::RequestContext;
use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::key::LimitName;
use crate::limiter::RateLimiter;
use crate::limiter::store_call::{Decided, longest_refusal};
use crate::observe::{self, Final, Outcome, Watch, report};
use crate::rejection::Rejection;
use crate::store::{Decisions, Mode, PendingReply, Request};
use smallvec::SmallVec;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::time::Instant;

/// One attempt of a call: who decides it, and the names of its limits in the order of its requests.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a, N> {
    pub(crate) limiter: &'a RateLimiter,
    /// When the call began, if it has waited for the overrides or for another decision: its question to the store has the rest of
    /// its deadline. Otherwise the deadline begins when the store is asked.
    pub(crate) began: Option<Instant>,
    pub(crate) names: &'a [N],
}

impl<N: CallName> Attempt<'_, N> {
    /// Decides requests whose units are never returned. If nothing has to be awaited, passes the decisions or the rejection to
    /// `then`, so that they need not be copied.
    #[inline]
    pub(crate) fn run<T>(
        self,
        requests: &[&Request],
        then: impl FnOnce(Result<&[Decision], Rejection>) -> T,
    ) -> Result<T, Pending<N>> {
        let watch = self.watch(requests.iter().copied());
        let decided = self.limiter.decide(self.began, Mode::Check, requests, |decided| {
            let cost = |at: usize| requests.get(at).map_or(1, |request| request.cost());
            then(concluded(self.names, cost, &watch, || self.record(requests), decided))
        });
        decided.map_err(|reply| {
            let record = self.record(requests);
            let costs = || requests.iter().map(|request| request.cost());
            let is_heard = record.is_some() || !watch.is_plain() || costs().any(|cost| cost != 1);
            let told = is_heard.then(|| Box::new(Told { record, watch, costs: costs().collect() }));
            Pending { names: SmallVec::from_slice(self.names), told, reply }
        })
    }

    /// Decides a stack that may wait, or whose units can be returned. Reports the refusals of its shadow limits.
    ///
    /// If the future is dropped after the store has replied, everything is returned. If it is dropped before, the units may
    /// have been taken, and permits are returned.
    pub(crate) async fn run_held(self, stack: Stack) -> Result<Holdings, Rejection> {
        let watch = self.watch(stack.iter().map(|member| &member.request));
        let mut record = None;
        if N::IS_RECORDED {
            let refusing =
                self.names.iter().zip(&stack).enumerate().filter(|(_, (_, member))| !member.shadow);
            record = Record::of(refusing.map(|(at, (name, member))| (at, *name, &member.request)));
        }
        match claim::admit(self.limiter, self.began, stack).await {
            Ok(holdings) => Ok(self.admitted(&watch, record, holdings)),
            Err(Refused::Limited(refusal)) => Err(self.refused(&watch, record, &refusal)),
            Err(Refused::Failed(error)) => Err(undecided(self.names, &watch, error)),
        }
    }

    #[inline]
    fn watch<'r>(self, requests: impl Iterator<Item = &'r Request>) -> Watch {
        let name = self.names.first().map_or("", CallName::text);
        Watch::of(&self.limiter.shared.observers, self.limiter.keys(), name, requests.map(Request::key))
    }

    #[inline]
    fn record(self, requests: &[&Request]) -> Option<Record> {
        if !N::IS_RECORDED {
            return None;
        }
        let named = self.names.iter().zip(requests).enumerate();
        Record::of(named.map(|(at, (name, request))| (at, *name, *request)))
    }

    fn admitted(self, watch: &Watch, record: Option<Record>, mut holdings: Holdings) -> Holdings {
        let members = self.names.iter().zip(holdings.members());
        watch.finished(members.map(|(name, member)| of_admitted(name.text(), member, &holdings)));
        holdings.noted = record.map(|record| record.decided(holdings.decisions()));
        for (at, name) in self.names.iter().enumerate() {
            if let Some(decision) = holdings.shadow_refusal(at) {
                report::shadow_refusal(name.text(), decision.retry_after());
            } else if let Some(error) = holdings.shadow_error(at) {
                report::error(name.text(), error, SHADOW_UNDECIDED);
            }
        }
        holdings
    }

    fn refused(self, watch: &Watch, record: Option<Record>, refusal: &Refusal) -> Rejection {
        watch.finished(self.names.iter().enumerate().map(|(at, name)| {
            let decision = refusal.all.iter().find(|(of, _)| *of == at).map(|(_, decision)| *decision);
            let outcome = decision.as_ref();
            let outcome =
                outcome.map_or(Outcome::OtherLimited, |decision| Outcome::refused(refusal.source, decision));
            Final { name: name.text(), outcome, decision, cost: 0, waited: None }
        }));
        if let Some(record) = record {
            let _ = record.decided(refusal.all.iter().copied());
        }
        noted::<N>(Rejection::limited(self.names[refusal.at].limit_name(), refusal.decision))
    }
}

/// Returns the outcome of a limit of an admitted call.
fn of_admitted<'n>(name: &'n str, member: &Member, holdings: &Holdings) -> Final<'n> {
    let decision = member.decision();
    let delay = decision.map(|decision| decision.delay()).filter(|delay| !delay.is_zero());
    let waited = if member.is_permit() { holdings.waited } else { delay };
    let outcome = match decision {
        Some(_) if member.shadow && member.takes_nothing() => Outcome::ShadowLimited,
        None if member.shadow && member.takes_nothing() => Outcome::ShadowUndecided,
        _ if member.shadow => Outcome::ShadowAllowed,
        _ => Outcome::admitted(holdings.source, waited.is_some()),
    };
    Final { name, outcome, decision, cost: member.request.cost(), waited }
}

/// Counts and records the decisions about requests whose units are never returned. Returns them, or the rejection if a limit
/// has refused.
#[inline]
fn concluded<'d, N: CallName>(
    names: &[N],
    cost: impl Fn(usize) -> u32,
    watch: &Watch,
    record: impl FnOnce() -> Option<Record>,
    decided: Result<(Source, &'d [Decision]), Error>,
) -> Result<&'d [Decision], Rejection> {
    let (source, decisions) = match decided {
        Ok(decided) => decided,
        Err(error) => return Err(undecided(names, watch, error)),
    };
    watch.decided(source, decisions, |at| (names.get(at).map_or("", CallName::text), cost(at)));
    // A decision by the failure policy alone is not recorded.
    if source != Source::Nobody
        && let Some(record) = record()
    {
        let _ = record.decided(decisions.iter().copied().enumerate());
    }
    match longest_refusal(decisions) {
        None => Ok(decisions),
        Some(at) => Err(noted::<N>(Rejection::limited(names[at].limit_name(), decisions[at]))),
    }
}

/// The rejection of a call that the store and the failure policy could not decide.
#[cold]
fn undecided<N: CallName>(names: &[N], watch: &Watch, error: Error) -> Rejection {
    watch.undecided(names.iter().map(CallName::text), &error);
    let name = names.first().map_or(LimitName::from(""), |name| name.limit_name());
    noted::<N>(unavailable(name, error))
}

/// The rejection of a call that the store was never asked about.
#[cold]
pub(crate) fn failed<N: CallName>(name: N, error: Error) -> Rejection {
    observe::undecided(name.text(), &error);
    noted::<N>(unavailable(name.limit_name(), error))
}

/// Reports a shadow limit that the store was never asked about. Its call runs.
#[cold]
pub(crate) fn shadow_failed(name: &str, error: &Error) {
    observe::shadow_undecided(name);
    report::error(name, error, SHADOW_UNDECIDED);
}

/// The consequence of an error of a shadow limit, for the log.
const SHADOW_UNDECIDED: &str = "cannot decide about a shadow limit; the call runs";

/// The rejection of a call whose limit could not be decided. Logs an error that the operator must fix.
fn unavailable(name: LimitName, error: Error) -> Rejection {
    report::error(name.as_str(), &error, "cannot decide about this limit; rejecting its calls");
    Rejection::undecided(name, error)
}

/// The rejection, noted in the request context if the call belongs to a request.
#[inline]
fn noted<N: CallName>(rejection: Rejection) -> Rejection {
    if N::IS_RECORDED {
        RequestContext::record_rejection(&rejection);
    }
    rejection
}

/// A call that waits for the reply of the store, which is the whole decision.
pub(crate) struct Pending<N> {
    names: SmallVec<[N; 1]>,
    /// `None` if nothing observes the call and each limit has a cost of 1. It is boxed, because it is `None` for nearly all
    /// calls.
    told: Option<Box<Told>>,
    reply: PendingReply<Decided>,
}

/// What a pending decision is reported to: the request context, the hook and the span. Also the cost of each limit.
#[derive(Default)]
struct Told {
    record: Option<Record>,
    watch: Watch,
    costs: SmallVec<[u32; 1]>,
}

impl<N: CallName> Future for Pending<N> {
    type Output = Result<Decisions, Rejection>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let decided = ready!(Pin::new(&mut self.reply).poll(context));
        let Told { record, watch, costs } = self.told.take().map_or_else(Told::default, |told| *told);
        Poll::Ready(match decided {
            Ok(Decided { source, decisions }) => {
                let cost = |at: usize| costs.get(at).copied().unwrap_or(1);
                let told = concluded(&self.names, cost, &watch, || record, Ok((source, &decisions)));
                told.map(drop).map(|()| decisions)
            }
            Err(error) => Err(undecided(&self.names, &watch, error)),
        })
    }
}
