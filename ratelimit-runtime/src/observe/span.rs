//! `DecisionSpan`: the `tracing` span of a decision.

use super::outcome::Outcome;
use crate::decision::Decision;
use crate::key::LimitName;
use std::sync::{Mutex, PoisonError};
use tracing::{Span, field};

/// A span from the start of a decision until it is dropped. Its fields are those of the limit that refused the call, or of the
/// first limit. They are recorded once, when it is dropped.
#[derive(Default)]
pub(super) struct DecisionSpan(Option<Box<Open>>);

struct Open {
    span: Span,
    /// A lock, because futures that contain the span are shared between threads. Nobody waits for it.
    fields: Mutex<Fields>,
}

struct Fields {
    name: LimitName,
    /// `None` until the decision is final.
    outcome: Option<Outcome>,
    decision: Option<Decision>,
}

impl DecisionSpan {
    /// Begins the span below the current one. Nothing is created if nobody listens to its target and level.
    #[inline]
    pub(super) fn begin(name: &str) -> Self {
        let is_enabled = tracing::enabled!(target: "ratelimit::decision", tracing::Level::DEBUG);
        Self(is_enabled.then(|| Open::new(name)))
    }

    /// Whether somebody listens.
    #[inline]
    pub(super) const fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Notes the outcome of one limit of the call.
    pub(super) fn note(&self, name: &str, outcome: Outcome, decision: Option<&Decision>) {
        let Some(open) = &self.0 else { return };
        let mut fields = open.fields.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = fields.outcome.is_none();
        if is_first || outcome.is_refused() && !fields.outcome.is_some_and(Outcome::is_refused) {
            *fields =
                Fields { name: LimitName::copy(name), outcome: Some(outcome), decision: decision.copied() };
        }
    }
}

impl Open {
    #[cold]
    fn new(name: &str) -> Box<Self> {
        let span = tracing::debug_span!(
            target: "ratelimit::decision",
            "ratelimit",
            ratelimit.limit = field::Empty,
            ratelimit.outcome = field::Empty,
            ratelimit.remaining = field::Empty,
            ratelimit.retry_after = field::Empty,
        );
        let fields = Fields { name: LimitName::copy(name), outcome: None, decision: None };
        Box::new(Self { span, fields: Mutex::new(fields) })
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let fields = self.fields.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.span.record("ratelimit.limit", fields.name.as_str());
        self.span.record("ratelimit.outcome", fields.outcome.map_or("cancelled", Outcome::label));
        if let Some(decision) = fields.decision {
            // Signed, because OpenTelemetry has no unsigned integers.
            self.span.record("ratelimit.remaining", i64::from(decision.remaining()));
            if let Some(retry) = decision.retry_after() {
                self.span.record("ratelimit.retry_after", retry.as_secs_f64());
            }
        }
    }
}
