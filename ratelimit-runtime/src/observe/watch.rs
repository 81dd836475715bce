//! `Watch`: one call, from its start until its decision is final. It counts the outcome of each limit exactly once.

use super::limit::LimitSeries;
use super::outcome::Outcome;
use super::{Hooks, IdentityHash, Refusal};
use crate::decision::Decision;
use crate::error::Error;
use crate::key::LimitName;
use crate::limiter::{Decided, DecidedRef, Holdings, RateLimiter, Refused, Source};
use crate::store::Request;
use smallvec::SmallVec;
use std::time::Duration;

/// The observation of a call. Dropping it before the decision is final counts nothing.
///
/// It is small, because nearly every call has one: what few limiters need is behind a pointer.
#[derive(Default)]
pub(crate) struct Watch {
    /// `None` if limits are on, and there is no hook.
    special: Option<Box<Special>>,
    #[cfg(feature = "trace")]
    span: super::span::DecisionSpan,
}

/// What is not the same for all limiters.
struct Special {
    /// Limits are off.
    off: bool,
    /// The hook that hears of refusals.
    hooks: Hooks,
    /// Who calls, by the position of the limit.
    callers: SmallVec<[Option<IdentityHash>; 2]>,
}

/// What is known about a limit of a call when its outcome is final.
struct Final<'n> {
    name: &'n str,
    outcome: Outcome,
    /// `None` if nothing was decided.
    decision: Option<Decision>,
    /// `None` if the call did not wait.
    waited: Option<Duration>,
}

impl Watch {
    /// Begins the observation of a call with these requests, of which the first has this name.
    #[inline]
    pub(crate) fn of<'r>(
        limiter: &RateLimiter,
        name: &str,
        requests: impl Iterator<Item = &'r Request>,
    ) -> Self {
        #[cfg(not(feature = "trace"))]
        let _ = name;
        let special = limiter.is_special().then(|| Box::new(Special::of(limiter, requests)));
        Self {
            // Exempt calls have no span.
            #[cfg(feature = "trace")]
            span: match &special {
                Some(special) if special.off => super::span::DecisionSpan::default(),
                _ => super::span::DecisionSpan::begin(name),
            },
            special,
        }
    }

    /// Counts a call of `number` limits that was decided at once.
    #[inline]
    pub(crate) fn decided<'n, 'd>(
        &self,
        number: usize,
        name: impl Fn(usize) -> &'n str,
        decided: impl FnOnce() -> Result<DecidedRef<'d>, &'d Error>,
    ) {
        if self.sees_nothing() {
            return;
        }
        let decided = decided();
        // Nearly all calls.
        if let Ok(Decided { decisions: [decision], source: Source::Store }) = decided
            && decision.allowed()
            && self.is_plain()
        {
            return LimitSeries::named(name(0)).count_allowed(decision);
        }
        self.decided_otherwise(number, name, decided);
    }

    /// Whether nobody observes the call.
    #[inline]
    fn sees_nothing(&self) -> bool {
        !cfg!(any(feature = "metrics", feature = "trace")) && self.special.is_none()
    }

    /// Whether nobody but the metrics observes the call, so that a [default](Default) watch counts the same.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        #[cfg(feature = "trace")]
        if self.span.is_some() {
            return false;
        }
        self.special.is_none()
    }

    #[inline(never)]
    fn decided_otherwise<'n>(
        &self,
        number: usize,
        name: impl Fn(usize) -> &'n str,
        decided: Result<DecidedRef<'_>, &Error>,
    ) {
        let decided = match decided {
            Ok(decided) => decided,
            Err(error) => return (0..number).for_each(|at| self.undecided(at, name(at), error)),
        };
        let is_off = self.special.as_ref().is_some_and(|special| special.off);
        let source = decided.source;
        let is_refused = decided.decisions.iter().any(|decision| !decision.allowed());
        for (at, decision) in decided.decisions.iter().enumerate() {
            let outcome = match is_refused {
                _ if is_off => Outcome::Exempt,
                true => Outcome::refused(source, decision),
                false => Outcome::admitted(source, false),
            };
            let (name, decision, waited) = (name(at), Some(*decision), None);
            self.count(at, &Final { name, outcome, decision, waited });
        }
    }

    /// Counts a call of `number` limits that may have waited, or that was not admitted.
    pub(crate) fn finished<'n>(
        &self,
        number: usize,
        name: impl Fn(usize) -> &'n str,
        admitted: &Result<Holdings, Refused>,
    ) {
        if self.sees_nothing() {
            return;
        }
        match admitted {
            Ok(holdings) => self.admitted(name, holdings),
            Err(refused) => self.refused(number, name, refused),
        }
    }

    /// Counts an admitted call, and its shadow limits.
    fn admitted<'n>(&self, name: impl Fn(usize) -> &'n str, holdings: &Holdings) {
        for (at, member) in holdings.members().iter().enumerate() {
            let decision = member.decision();
            let delay = decision.map(|decision| decision.delay()).filter(|delay| !delay.is_zero());
            let waited = if member.is_permit() { holdings.waited } else { delay };
            let outcome = match decision {
                Some(_) if member.shadow && member.takes_nothing() => Outcome::ShadowLimited,
                None if member.shadow && member.takes_nothing() => Outcome::ShadowUndecided,
                _ if member.shadow => Outcome::ShadowAllowed,
                _ => Outcome::admitted(holdings.source, waited.is_some()),
            };
            self.count(at, &Final { name: name(at), outcome, decision, waited });
        }
    }

    /// Counts a call that was not admitted.
    fn refused<'n>(&self, number: usize, name: impl Fn(usize) -> &'n str, refused: &Refused) {
        let refusal = match refused {
            Refused::Failed(error) => return (0..number).for_each(|at| self.undecided(at, name(at), error)),
            Refused::Limited(refusal) => refusal,
        };
        for at in 0..number {
            let decision = refusal.all.iter().find(|(of, _)| *of == at).map(|(_, decision)| *decision);
            let outcome = decision
                .as_ref()
                .map_or(Outcome::OtherLimited, |decision| Outcome::refused(refusal.source, decision));
            self.count(at, &Final { name: name(at), outcome, decision, waited: None });
        }
    }

    fn undecided(&self, at: usize, name: &str, error: &Error) {
        let outcome = Outcome::undecided(error);
        self.count(at, &Final { name, outcome, decision: None, waited: None });
    }

    fn count(&self, at: usize, limit: &Final<'_>) {
        LimitSeries::named(limit.name).count(limit.outcome, limit.decision.as_ref(), limit.waited);
        #[cfg(feature = "trace")]
        self.span.note(limit.name, limit.outcome, limit.decision.as_ref());
        if limit.outcome.is_refused()
            && let Some(decision) = limit.decision
        {
            #[cfg(feature = "trace")]
            super::refusals::log(limit.name, limit.outcome, &decision);
            if let Some(special) = &self.special {
                special.refused(at, limit, decision);
            }
        }
    }
}

impl Special {
    #[cold]
    fn of<'r>(limiter: &RateLimiter, requests: impl Iterator<Item = &'r Request>) -> Self {
        let off = limiter.is_off();
        // While limits are off, nothing is refused, so the hook hears of nobody.
        let hooks = if off { Hooks::default() } else { limiter.hooks().clone() };
        let callers = requests.filter(|_| hooks.is_set());
        let callers = callers.map(|request| IdentityHash::of(limiter.keys(), request.key())).collect();
        Self { off, hooks, callers }
    }

    #[cold]
    fn refused(&self, at: usize, limit: &Final<'_>, decision: Decision) {
        self.hooks.refused(Refusal {
            name: LimitName::copy(limit.name),
            decision,
            identity: self.callers.get(at).copied().flatten(),
            is_shadow: limit.outcome == Outcome::ShadowLimited,
            is_local: limit.outcome == Outcome::LocalLimited,
        });
    }
}

/// Counts a call that is exempt from a limit. Returns `false`, so that a filter can call it.
pub(crate) fn exempt(name: &str) -> bool {
    LimitSeries::named(name).count(Outcome::Exempt, None, None);
    false
}

/// Counts a call whose shadow limit cannot be decided.
pub(crate) fn shadow_undecided(name: &str) {
    LimitSeries::named(name).count(Outcome::ShadowUndecided, None, None);
}

/// Counts a call that is rejected before anything was asked.
pub(crate) fn undecided(name: &str, error: &Error) {
    LimitSeries::named(name).count(Outcome::undecided(error), None, None);
}
