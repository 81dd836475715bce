//! `DecisionSpan`: the `tracing` span of a decision.

use super::outcome::Outcome;
use crate::decision::Decision;
use crate::key::LimitName;
use parking_lot::Mutex;
use std::time::Duration;
use tracing::level_filters::LevelFilter;
use tracing::{Span, field};

/// A span from the start of a decision until it is dropped. Its fields describe one limit of the call. If limits refused the
/// call, this is the refusing limit with the longest wait, which the rejection also names. Otherwise, this is the first limit.
/// The fields are recorded once, when the span is dropped.
#[derive(Default)]
pub(super) struct DecisionSpan(Option<Box<Open>>);

struct Open {
    span: Span,
    /// The mutex lets threads share futures that contain the span. No thread ever waits for it.
    fields: Mutex<Fields>,
}

struct Fields {
    name: LimitName,
    /// `None` until the decision is final.
    outcome: Option<Outcome>,
    decision: Option<Decision>,
}

impl DecisionSpan {
    /// Begins a child of the current span. Stores no span if the subscriber does not want it.
    #[inline]
    pub(super) fn begin(name: &str) -> Self {
        // Without a subscriber at this level, nothing else is done.
        if LevelFilter::current() < LevelFilter::DEBUG {
            return Self(None);
        }
        Self(Open::new(name))
    }

    /// Whether there is a span.
    #[inline]
    pub(super) const fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Stores the outcome of one limit of the call, if the fields must describe this limit.
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

fn refusal(outcome: Option<Outcome>, decision: Option<&Decision>) -> Option<Duration> {
    let retry_after = decision.and_then(Decision::retry_after).unwrap_or(Duration::MAX);
    outcome.filter(|outcome| outcome.is_refused()).map(|_| retry_after)
}

impl Open {
    #[cold]
    fn new(name: &str) -> Option<Box<Self>> {
        // `enabled!` is not used, because it returns `false` with a filter that accepts only spans.
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
