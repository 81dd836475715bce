//! `DecisionSpan`: the `tracing` span of a decision.

use super::outcome::Outcome;
use crate::decision::Decision;
use std::cell::Cell;
use tracing::{Span, field};

/// A span from the start of a decision until it is dropped. Its fields are those of the limit that refused the call, or of the
/// first limit.
#[derive(Default)]
pub(super) struct DecisionSpan {
    span: Option<Span>,
    /// The outcome is recorded already.
    ended: Cell<bool>,
}

impl DecisionSpan {
    /// Begins the span below the current one. Nothing is created if nobody listens to its target and level.
    #[inline]
    pub(super) fn begin(name: &str) -> Self {
        let is_enabled = tracing::enabled!(target: "ratelimit::decision", tracing::Level::DEBUG);
        Self { span: is_enabled.then(|| span(name)), ended: Cell::new(false) }
    }

    /// Whether somebody listens.
    pub(super) fn is_some(&self) -> bool {
        self.span.is_some()
    }

    /// Records the outcome of the limit at the position `at` of the call.
    #[inline]
    pub(super) fn end(&self, name: &str, outcome: Outcome, decision: Option<&Decision>) {
        let Some(span) = &self.span else { return };
        if self.ended.get() && !outcome.is_refused() {
            return;
        }
        self.ended.set(true);
        span.record("ratelimit.limit", name).record("ratelimit.outcome", outcome.label());
        if let Some(decision) = decision {
            span.record("ratelimit.remaining", decision.remaining());
            if let Some(retry) = decision.retry_after() {
                span.record("ratelimit.retry_after", retry.as_secs_f64());
            }
        }
    }
}

#[cold]
fn span(name: &str) -> Span {
    tracing::debug_span!(
        target: "ratelimit::decision",
        "ratelimit",
        ratelimit.limit = name,
        ratelimit.outcome = field::Empty,
        ratelimit.remaining = field::Empty,
        ratelimit.retry_after = field::Empty,
    )
}
