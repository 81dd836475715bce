//! `Watch`: observes one call from its start until its decision is final. It counts the outcome of each limit exactly once.
//!
//! It receives names, decisions and their source, and knows no limiter. A decision that is made during a wait is not final.

use super::near_limit::{DEFAULT_SHARE, crosses, takes_cross};
use super::outcome::Outcome;
use super::{Event, Hooks, IdentityHash, LimitMetrics, NearLimit, Refusal};
use crate::decision::{Decision, PackedDecision, Source};
use crate::error::Error;
use crate::key::{KeySettings, LimitName, StoreKey};
use crate::limit::Limit;
use smallvec::SmallVec;
use std::time::Duration;

/// The observation of a call. If it is dropped before the decision is final, nothing is counted. The limiter has a watch of its
/// own, from which the watch of each call [is made](Self::begin).
///
/// A watch is small, because nearly every call has one. The data that only few limiters need is behind a pointer.
#[derive(Default)]
pub(crate) struct Watch {
    /// `None` if limits are on, there is no hook, and the share for nearly used up limits is the default.
    special: Option<Box<Special>>,
    #[cfg(feature = "trace")]
    span: super::span::DecisionSpan,
}

/// The data that only few limiters need.
struct Special {
    /// Whether limits are off.
    off: bool,
    /// The hook for refusals, and for limits that are nearly used up.
    hooks: Hooks,
    /// The share at which a limit is nearly used up, in millionths.
    near: u32,
    /// The callers' identities as hashes, by the position of the limit. Empty without a hook.
    callers: SmallVec<[Option<IdentityHash>; 2]>,
}

/// The final outcome of a call at one limit.
pub(crate) struct Final<'n> {
    pub(crate) name: &'n str,
    pub(crate) outcome: Outcome,
    /// `None` if there was no decision.
    pub(crate) decision: Option<Decision>,
    /// The units of the call.
    pub(crate) cost: u32,
    /// `None` if the call did not wait.
    pub(crate) waited: Option<Duration>,
}

impl Watch {
    /// Creates the watch of a limiter.
    pub(crate) fn of_limiter(off: bool, hooks: Hooks, near: u32) -> Self {
        // While limits are off, nothing is refused, so no hook is called.
        let hooks = if off { Hooks::default() } else { hooks };
        let is_special = off || hooks.is_set() || near != DEFAULT_SHARE;
        Self {
            special: is_special.then(|| Box::new(Special { off, hooks, near, callers: SmallVec::new() })),
            #[cfg(feature = "trace")]
            span: super::span::DecisionSpan::default(),
        }
    }

    /// Begins to observe a call of this limiter with these keys. `name` belongs to the first key.
    #[inline]
    pub(crate) fn begin<'k>(
        &self,
        settings: &KeySettings,
        name: &str,
        keys: impl Iterator<Item = &'k StoreKey>,
    ) -> Self {
        let special = self
            .special
            .as_ref()
            .map(|special| Box::new(special.of_call(keys.map(|key| IdentityHash::of(settings, key)))));
        Self::of_call(special, name)
    }

    fn of_call(special: Option<Box<Special>>, name: &str) -> Self {
        #[cfg(not(feature = "trace"))]
        let _ = name;
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

    /// Counts the decisions about a call. `of` returns the name of the limit and the cost for the position of a decision.
    #[inline]
    pub(crate) fn decided<'n>(
        &self,
        source: Source,
        decisions: &[Decision],
        of: impl Fn(usize) -> (&'n str, u32),
    ) {
        if self.sees_nothing() {
            return;
        }
        // This branch handles nearly all calls.
        if let (Source::Store, [decision]) = (source, decisions)
            && decision.is_allowed()
            && self.is_plain()
        {
            let (name, cost) = of(0);
            let is_near = crosses(DEFAULT_SHARE, decision, cost);
            return LimitMetrics::named(name).count(Outcome::Allowed, is_near, None);
        }
        self.decided_otherwise(source, decisions, of);
    }

    /// Counts a call with one limit that the store has decided at once. `self` is the watch of the limiter. `identity` returns
    /// the hash of the caller's identity.
    #[inline]
    pub(crate) fn decided_at_once(
        &self,
        name: &str,
        limit: &Limit,
        cost: u32,
        decision: PackedDecision,
        identity: impl Fn() -> Option<IdentityHash>,
    ) {
        if self.sees_nothing() {
            return;
        }
        if !cfg!(feature = "trace") && decision.is_allowed() && self.special.is_none() {
            let is_near = crosses(DEFAULT_SHARE, &decision.decision(limit), cost);
            return LimitMetrics::named(name).count(Outcome::Allowed, is_near, None);
        }
        let special = self.special.as_ref();
        let special = special.map(|special| Box::new(special.of_call(std::iter::once_with(identity))));
        let watch = Self::of_call(special, name);
        watch.decided(Source::Store, &[decision.decision(limit)], |_| (name, cost));
    }

    /// Whether a hook is told who calls.
    #[inline]
    pub(crate) fn needs_identities(&self) -> bool {
        self.special.as_ref().is_some_and(|special| special.hooks.is_set())
    }

    /// Whether nobody observes the call.
    #[inline]
    fn sees_nothing(&self) -> bool {
        !cfg!(any(feature = "metrics", feature = "trace")) && self.special.is_none()
    }

    /// Whether anybody observes units that are taken without a check.
    pub(crate) fn sees_takes(&self) -> bool {
        (cfg!(feature = "metrics") || self.special.is_some())
            && !self.special.as_ref().is_some_and(|it| it.off)
    }

    /// Counts units that were taken without a check if they made the limit nearly used up. Returns the event for the hook, which
    /// lacks a decision.
    pub(crate) fn takes(&self, name: &str, capacity: u32, taken: u32, used: u32) -> Option<UndecidedNear> {
        let near = self.special.as_ref().map_or(DEFAULT_SHARE, |special| special.near);
        if !takes_cross(near, capacity, taken, used) {
            return None;
        }
        LimitMetrics::named(name).count_near_limit();
        let hooks = self.special.as_ref().map(|special| &special.hooks).filter(|hooks| hooks.is_set())?;
        Some(UndecidedNear { hooks: hooks.clone(), name: LimitName::copy(name) })
    }

    /// Whether only the metrics observe the call. Then a [default](Default) watch counts the same.
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
        source: Source,
        decisions: &[Decision],
        of: impl Fn(usize) -> (&'n str, u32),
    ) {
        let is_off = self.special.as_ref().is_some_and(|special| special.off);
        let is_refused = decisions.iter().any(|decision| !decision.is_allowed());
        self.finished(decisions.iter().enumerate().map(|(at, decision)| {
            let outcome = match is_refused {
                _ if is_off => Outcome::Exempt,
                true => Outcome::refused(source, decision),
                false => Outcome::admitted(source, false),
            };
            let (name, cost) = of(at);
            Final { name, outcome, decision: Some(*decision), cost, waited: None }
        }));
    }

    /// Counts a call that may have waited or may have been rejected. `limits` are all of its limits in order.
    pub(crate) fn finished<'n>(&self, limits: impl Iterator<Item = Final<'n>>) {
        if !self.sees_nothing() {
            limits.enumerate().for_each(|(at, limit)| self.count(at, &limit));
        }
    }

    /// Counts a call that could not be decided, at the limits with these names.
    pub(crate) fn undecided<'n>(&self, names: impl Iterator<Item = &'n str>, error: &Error) {
        let outcome = Outcome::undecided(error);
        self.finished(names.map(|name| Final { name, outcome, decision: None, cost: 0, waited: None }));
    }

    fn count(&self, at: usize, limit: &Final<'_>) {
        let near = self.special.as_ref().map_or(DEFAULT_SHARE, |special| special.near);
        let crossing = limit
            .decision
            .filter(|decision| limit.outcome.is_admitted() && crosses(near, decision, limit.cost));
        LimitMetrics::named(limit.name).count(limit.outcome, crossing.is_some(), limit.waited);
        if let (Some(decision), Some(special)) = (crossing, &self.special) {
            special.near_limit(at, limit, decision);
        }
        #[cfg(feature = "trace")]
        self.span.note(limit.name, limit.outcome, limit.decision.as_ref());
        if limit.outcome.is_refused()
            && let Some(decision) = limit.decision
        {
            #[cfg(feature = "trace")]
            super::report::refusal(limit.name, limit.outcome, &decision);
            if let Some(special) = &self.special {
                special.refused(at, limit, decision);
            }
        }
    }
}

impl Special {
    #[cold]
    fn of_call(&self, callers: impl Iterator<Item = Option<IdentityHash>>) -> Self {
        let most = if self.hooks.is_set() { usize::MAX } else { 0 };
        Self { hooks: self.hooks.clone(), callers: callers.take(most).collect(), ..*self }
    }

    #[cold]
    fn near_limit(&self, at: usize, limit: &Final<'_>, decision: Decision) {
        if matches!(limit.outcome, Outcome::Allowed | Outcome::Waited) {
            let identity = self.callers.get(at).copied().flatten();
            self.hooks.tell(Event::NearLimit(NearLimit {
                name: LimitName::copy(limit.name),
                decision,
                identity,
            }));
        }
    }

    #[cold]
    fn refused(&self, at: usize, limit: &Final<'_>, decision: Decision) {
        self.hooks.tell(Event::Refused(Refusal {
            name: LimitName::copy(limit.name),
            decision,
            identity: self.callers.get(at).copied().flatten(),
            is_shadow: limit.outcome == Outcome::ShadowLimited,
            is_local: limit.outcome == Outcome::LocalLimited,
        }));
    }
}

/// The event of a limit that units without a check made nearly used up, before the store is asked for a decision.
pub(crate) struct UndecidedNear {
    hooks: Hooks,
    name: LimitName,
}

impl UndecidedNear {
    pub(crate) fn tell(self, decision: Decision, identity: Option<IdentityHash>) {
        self.hooks.tell(Event::NearLimit(NearLimit { name: self.name, decision, identity }));
    }
}

/// Counts a call that was not sent to the store, such as an exempt call.
pub(crate) fn unasked(name: &str, outcome: Outcome) {
    LimitMetrics::named(name).count(outcome, false, None);
}
