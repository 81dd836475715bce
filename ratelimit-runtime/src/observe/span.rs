//! `DecisionSpan`: the `tracing` span of a decision.

use super::outcome::Outcome;
use crate::decision::Decision;
use crate::key::LimitName;
use parking_lot::Mutex;
use std::time::Duration;
use tracing::level_filters::LevelFilter;
use tracing::{Span, field};

/// A span from the start of a decision until it is dropped. Its fields are those of the limit that refused the call, or of the
/// first limit. If several limits refused it, they are those of the limit with the longest wait, which the rejection names. The
/// fields are recorded once, when it is dropped.
#[derive(Default)]
pub(super) struct DecisionSpan(Option<Box<Open>>);

struct Open {
    span: Span,
    /// A lock, because futures that contain the span are shared between threads. No thread waits for the lock.
    fields: Mutex<Fields>,
}

struct Fields {
    name: LimitName,
    /// `None` until the decision is final.
    outcome: Option<Outcome>,
    decision: Option<Decision>,
}

impl DecisionSpan {
    /// Begins the span below the current one. If nothing listens, no span is stored.
    #[inline]
    pub(super) fn begin(name: &str) -> Self {
        // Without a subscriber of this level, this is all the work.
        if LevelFilter::current() < LevelFilter::DEBUG {
            return Self(None);
        }
        Self(Open::new(name))
    }

    /// Whether somebody listens.
    #[inline]
    pub(super) const fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Notes the outcome of one limit of the call.
    pub(super) fn note(&self, name: &str, outcome: Outcome, decision: Option<&Decision>) {
        let Some(open) = &self.0 else { return };
        let mut fields = open.fields.lock();
        if fields.outcome.is_none()
            || refusal(Some(outcome), decision) > refusal(fields.outcome, fields.decision.as_ref())
        {
            *fields =
                Fields { name: LimitName::copy(name), outcome: Some(outcome), decision: decision.copied() };
        }
    }
}

/// How long a refusal lasts. `None` if the limit did not refuse the call.
fn refusal(outcome: Option<Outcome>, decision: Option<&Decision>) -> Option<Duration> {
    let retry_after = decision.and_then(Decision::retry_after).unwrap_or(Duration::MAX);
    outcome.filter(|outcome| outcome.is_refused()).map(|_| retry_after)
}

impl Open {
    #[cold]
    fn new(name: &str) -> Option<Box<Self>> {
        // `enabled!` is not used, because a filter that lets only spans pass would say no.
        let span = tracing::debug_span!(
            target: "ratelimit::decision",
            "ratelimit",
            ratelimit.limit = field::Empty,
            ratelimit.outcome = field::Empty,
            ratelimit.remaining = field::Empty,
            ratelimit.retry_after = field::Empty,
        );
        if span.is_disabled() {
            return None;
        }
        let fields = Fields { name: LimitName::copy(name), outcome: None, decision: None };
        Some(Box::new(Self { span, fields: Mutex::new(fields) }))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let fields = self.fields.get_mut();
        self.span.record("ratelimit.limit", fields.name.as_str());
        self.span.record("ratelimit.outcome", fields.outcome.map_or("cancelled", Outcome::label));
        if let Some(decision) = fields.decision {
            // The number is signed, because OpenTelemetry has no unsigned integers.
            self.span.record("ratelimit.remaining", i64::from(decision.remaining()));
            if let Some(retry) = decision.retry_after() {
                self.span.record("ratelimit.retry_after", retry.as_secs_f64());
            }
        }
    }
}
