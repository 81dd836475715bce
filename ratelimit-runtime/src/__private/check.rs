//! `Check`: the decision about a call whose units are never returned, which is the most frequent case.

use super::admission;
use super::call::{Call, Calls, Names};
use super::record::Record;
use crate::context::RequestContext;
use crate::error::Error;
use crate::key::Name;
use crate::limiter::{Decided, RateLimiter, Stack, join, undecided};
use crate::observe::{self, Watch};
use crate::rejection::Rejection;
use crate::store::{Mode, Reply};
use smallvec::smallvec;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A future of the decision about a call. If the call waits for a turn, the future is ready at its turn.
#[must_use = "the decision must be awaited"]
pub struct Check {
    state: State,
    record: Option<Box<Record>>,
    watch: Watch,
}

enum State {
    /// The reply of the store is the whole decision.
    Deciding { names: Names, reply: Reply<Decided> },
    /// All other calls, such as calls that may wait for a turn or must load the overrides first.
    Admitting(Pin<Box<dyn Future<Output = Result<(), Rejection>> + Send>>),
}

impl Call {
    /// Decides the call. A store that replies at once has decided when this returns. The future borrows nothing.
    pub fn start(mut self) -> Check {
        if self.is_skipped() {
            observe::exempt(self.name().as_str());
            return exempt();
        }
        if self.is_shadow() || !self.knows_overrides() {
            return admit(self.admit());
        }
        decide(&mut self).unwrap_or_else(|error| failed(self.name(), error))
    }
}

impl Calls {
    /// Decides the limits together, as [`Call::start`].
    pub fn start(self) -> Check {
        if self.0.iter().any(|call| call.is_shadow() || !call.knows_overrides()) {
            return admit(self.admit());
        }
        let (mut names, mut stack, mut first) = (Names::new(), Stack::new(), None::<RateLimiter>);
        let is_decided = |call: &Call| !call.is_skipped() || observe::exempt(call.name().as_str());
        for mut call in self.0.into_iter().filter(is_decided) {
            match call.request() {
                Ok(request) => stack.push(call.member(request)),
                Err(error) => return failed(call.name(), error),
            }
            names.push(call.name());
            first = first.or_else(|| call.limiter().ok().cloned());
        }
        let Some(limiter) = first else { return exempt() };
        if stack.iter().any(|member| !member.is_only_checked()) {
            return admit(admission::admit(limiter, names, stack));
        }
        join(stack.iter_mut().map(|member| &mut member.request));
        let members = names.iter().zip(&stack).enumerate();
        let record = Record::of(members.map(|(at, (name, member))| (at, *name, &member.request)));
        let watch = Watch::of(&limiter, names[0].as_str(), stack.iter().map(|member| &member.request));
        let requests = stack.into_iter().map(|member| member.request).collect();
        Check {
            state: State::Deciding { names, reply: limiter.decide(Mode::Check, requests) },
            record,
            watch,
        }
    }
}

/// Decides a call of one limit, as nearly all calls are. Its parts are too large to be moved about, so it stays in place.
fn decide(call: &mut Call) -> Result<Check, Error> {
    let request = call.request()?;
    let (limiter, names) = (call.limiter()?, smallvec![call.name()]);
    if call.charges_after() || !request.limit().is_charged_at_once() {
        return Ok(admit(admission::admit(limiter.clone(), names, smallvec![call.member(request)])));
    }
    let record = Record::of(std::iter::once((0, call.name(), &request)));
    let watch = Watch::of(limiter, call.name().as_str(), std::iter::once(&request));
    Ok(Check {
        state: State::Deciding { names, reply: limiter.decide_one(Mode::Check, request) },
        record,
        watch,
    })
}

fn exempt() -> Check {
    State::Deciding { names: Names::new(), reply: Reply::ready(Ok(Decided::of_nobody())) }.into()
}

/// A call whose limit cannot be decided.
fn failed(name: Name<'static>, error: Error) -> Check {
    State::Deciding { names: smallvec![name], reply: Reply::ready(Err(error)) }.into()
}

fn admit<T: Send>(admitted: impl Future<Output = Result<T, Rejection>> + Send + 'static) -> Check {
    State::Admitting(Box::pin(async move { admitted.await.map(drop) })).into()
}

impl From<State> for Check {
    /// A check that records nothing itself.
    fn from(state: State) -> Self {
        Self { state, record: None, watch: Watch::default() }
    }
}

impl Future for Check {
    type Output = Result<(), Rejection>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { state, record, watch } = &mut *self;
        let admitted = match state {
            State::Admitting(future) => ready!(future.as_mut().poll(context)),
            State::Deciding { names, reply } => {
                let decided = ready!(Pin::new(reply).poll(context));
                if let (Some(record), Ok(decided)) = (record.take(), &decided)
                    && decided.is_by_limits()
                {
                    let _ = record.decided(decided.decisions.iter().copied().enumerate());
                }
                watch.decided(names.len(), |at| names.get(at).map_or("", |name| name.as_str()), &decided);
                let name = |at: usize| names.get(at).copied().unwrap_or(Name::new(""));
                match decided {
                    Ok(decided) => match decided.refused() {
                        None => Ok(()),
                        Some(at) => Err(Rejection::limited(name(at), decided.decisions[at])),
                    },
                    Err(error) => Err(undecided(name(0), error)),
                }
            }
        };
        Poll::Ready(admitted.inspect_err(RequestContext::record_rejection))
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").finish_non_exhaustive()
    }
}
