//! `Admission`: what an admitted call holds, if it has permits or charges that depend on the call's result.

use super::call::{Call, Calls, Names};
use super::record::{Noted, Record};
use crate::context::{Recorded, RequestContext};
use crate::hold::{Held, Sent, Settle};
use crate::limiter::{self, RateLimiter, Refused, Stack, report, undecided};
use crate::observe::{self, Watch};
use crate::rejection::Rejection;
use smallvec::{SmallVec, smallvec};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// What follows from an error of a shadow limit, for the log.
const SHADOW_UNDECIDED: &str = "cannot decide about a shadow limit; the call runs";

/// A future of the decision about a call and of its admission.
#[must_use = "the decision must be awaited"]
pub struct Admit(Pin<Box<dyn Future<Output = Result<Admission, Rejection>> + Send>>);

impl Call {
    /// Decides the call as [`start`](Self::start), and returns its admission, so that units can be returned.
    pub fn admit(self) -> Admit {
        Calls(SmallVec::from_buf([self])).admit()
    }
}

impl Calls {
    /// Decides the limits together, as [`Call::admit`].
    pub fn admit(self) -> Admit {
        Admit(Box::pin(async { decide(self.0).await.inspect_err(RequestContext::record_rejection) }))
    }
}

async fn decide(calls: SmallVec<[Call; 1]>) -> Result<Admission, Rejection> {
    let mut admission = Admission { held: None, positions: smallvec![None; calls.len()] };
    let (mut names, mut stack, mut first) = (Names::new(), Stack::new(), None::<RateLimiter>);
    let is_decided = |call: &Call| !call.is_skipped() || observe::exempt(call.name().as_str());
    for (position, mut call) in calls.into_iter().enumerate().filter(|(_, call)| is_decided(call)) {
        let (name, shadow) = (call.name(), call.is_shadow());
        if first.is_none()
            && let Ok(limiter) = call.limiter()
        {
            let limiter = limiter.clone();
            limiter.learn_overrides().await;
            first = Some(limiter);
        }
        match call.complete() {
            Ok(_) => {
                admission.positions[position] = Some(stack.len());
                stack.push(call.into_member());
                names.push(name);
            }
            Err(error) if shadow => {
                observe::shadow_undecided(name.as_str());
                report::error(name.as_str(), &error, SHADOW_UNDECIDED);
            }
            Err(error) => {
                observe::undecided(name.as_str(), &error);
                return Err(undecided(name, error));
            }
        }
    }
    if let Some(limiter) = first.filter(|_| !stack.is_empty()) {
        admission.held = Some(Box::new(admit(limiter, names, stack).await?));
    }
    Ok(admission)
}

/// Admits a call, and reports the refusals of its shadow limits.
pub(super) async fn admit(limiter: RateLimiter, names: Names, stack: Stack) -> Result<Kept, Rejection> {
    let refusing = names.iter().zip(&stack).enumerate().filter(|(_, (_, member))| !member.shadow);
    let record = Record::of(refusing.map(|(at, (name, member))| (at, *name, &member.request)));
    let watch = Watch::of(&limiter, names[0].as_str(), stack.iter().map(|member| &member.request));
    let admitted = limiter.admit(stack).await;
    watch.finished(names.len(), |at| names[at].as_str(), &admitted);
    match admitted {
        Ok(holdings) => {
            let noted = record.map(|record| record.decided(holdings.decisions()));
            for (at, name) in names.iter().enumerate() {
                if let Some(decision) = holdings.shadow_refusal(at) {
                    report::shadow_refusal(name.as_str(), decision.retry_after());
                } else if let Some(error) = holdings.shadow_error(at) {
                    report::error(name.as_str(), error, SHADOW_UNDECIDED);
                }
            }
            Ok(Kept { holdings, noted })
        }
        Err(Refused::Limited(refusal)) => {
            let rejection = Rejection::limited(names[refusal.at], refusal.decision);
            if let Some(record) = record {
                let _ = record.decided(refusal.all.into_iter());
            }
            Err(rejection)
        }
        Err(Refused::Failed(error)) => Err(undecided(names[0], error)),
    }
}

impl Future for Admit {
    type Output = Result<Admission, Rejection>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(context)
    }
}

/// What an admitted call holds.
///
/// Dropping it returns permits, keeps charges, and charges each limit that is charged after the call, unless
/// [`charge_if`](Self::charge_if) was called with `false`.
#[must_use = "dropping this returns the permits and keeps the charges"]
pub struct Admission {
    /// `None` if the call is exempt from all limits. Boxed, because the user's future contains it several times.
    held: Option<Box<Kept>>,
    /// The position in `holdings` of each limit of the attribute. `None` for a limit that was not decided.
    positions: SmallVec<[Option<usize>; 1]>,
}

/// What an admitted call holds, and where its decisions are recorded.
pub(super) struct Kept {
    holdings: limiter::Holdings,
    /// The header fields of the response are made from these records. `None` outside a request.
    noted: Option<Noted>,
}

impl Kept {
    /// Corrects the charge of the limit at this position to the real cost of the call.
    fn settle(&mut self, at: usize, cost: u32) {
        self.holdings.settle(at, cost);
        self.note(at, |record| match record.cost().checked_sub(cost) {
            Some(units) => record.give(units),
            None => record.take(cost - record.cost()),
        });
    }

    /// Decides whether the limit at this position is charged after the call.
    fn charge_after(&mut self, at: usize, charge: bool) {
        self.holdings.charge_after(at, charge);
        if charge {
            self.note(at, |record| record.take(record.cost()));
        }
    }

    fn note(&self, at: usize, change: impl FnOnce(&mut Recorded)) {
        if let Some(noted) = &self.noted {
            noted.change(at, change);
        }
    }
}

impl Admission {
    /// Returns the admission of a call that has only shadow limits, which never reject.
    pub fn of_shadows(decided: Result<Self, Rejection>) -> Self {
        decided.unwrap_or_else(|_| Self { held: None, positions: SmallVec::new() })
    }

    /// Takes the units of a limit after the call, if `charge` is true.
    pub fn charge_if(&mut self, at: usize, charge: bool) {
        if let Some((held, at)) = self.member(at) {
            held.charge_after(at, charge);
        }
    }

    /// Returns the units of a limit, if `refund` is true.
    pub fn refund_if(&mut self, at: usize, refund: bool) {
        if refund {
            self.settle(at, 0);
        }
    }

    /// Corrects the charge of a limit to the real cost of the call.
    pub fn settle(&mut self, at: usize, cost: u32) {
        if let Some((held, at)) = self.member(at) {
            held.settle(at, cost);
        }
    }

    fn member(&mut self, at: usize) -> Option<(&mut Kept, usize)> {
        let position = self.positions.get(at).copied().flatten();
        self.held.as_deref_mut().zip(position)
    }

    /// Sends the changes to the store.
    pub async fn finish(self) {
        if let Some(held) = self.held
            && let Err(error) = Box::pin(held.holdings.finish()).await
        {
            tracing::debug!(%error, "{CANNOT_ADJUST}");
        }
    }

    /// Sends the changes to the store. Returns the limits at the positions in `lasting`, which are held further.
    pub async fn hold(mut self, lasting: &[usize]) -> Lasting {
        let Self { held, positions } = &mut self;
        if let Some(held) = held {
            let lasts = |member| lasting.iter().any(|at| positions.get(*at) == Some(&Some(member)));
            if let Err(error) = Box::pin(held.holdings.finish_except(lasts)).await {
                tracing::debug!(%error, "{CANNOT_ADJUST}");
            }
        }
        let held = self.held.take().map(|held| Held::new(Box::new(held.holdings)));
        Lasting { held: held.unwrap_or_default(), positions: self.positions }
    }
}

const CANNOT_ADJUST: &str = "cannot adjust the units of a finished call";

/// What a call holds until the body of its response ends.
#[must_use = "dropping this returns the permits and settles the charges"]
pub struct Lasting {
    held: Held,
    positions: SmallVec<[Option<usize>; 1]>,
}

impl Lasting {
    /// Settles the charge of a limit when the body ends.
    pub fn settle(&mut self, at: usize, cost: SettleOnEnd) {
        if let Some(position) = self.positions.get(at).copied().flatten() {
            self.held.settle(position, cost.0);
        }
    }

    /// What the response has to hold.
    pub fn held(self) -> Held {
        self.held
    }
}

/// The function of `settle` with `until = "body_end"`.
pub struct SettleOnEnd(Settle);

/// Takes the closure of `settle`. This signature lets the closure omit its parameter type.
pub fn settle_on_end(cost: impl FnOnce(Sent) -> u32 + Send + 'static) -> SettleOnEnd {
    SettleOnEnd(Box::new(cost))
}

impl fmt::Debug for SettleOnEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SettleOnEnd").finish_non_exhaustive()
    }
}

impl fmt::Debug for Admit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admit").finish_non_exhaustive()
    }
}

impl fmt::Debug for Lasting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lasting").finish_non_exhaustive()
    }
}

impl fmt::Debug for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admission").finish_non_exhaustive()
    }
}

/// Calls a closure with the result of a call. This signature lets the closure omit its parameter type.
pub fn judge<R, T>(closure: impl FnOnce(&R) -> T, result: &R) -> T {
    closure(result)
}
