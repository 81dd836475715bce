//! Tests the header fields: byte for byte, and with random decisions whose fields are read by a parser of structured fields.

mod golden;
mod parsed;
mod x_rate_limit;

use super::RateLimitHeaders;
use crate::context::RecordedDecision;
use crate::decision::Decision;
use crate::key::LimitName;
use crate::limit::Limit;
use std::time::Duration;

const ONE_SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(86_400);

fn recorded(name: impl Into<LimitName>, limit: Limit, decision: Decision) -> RecordedDecision {
    RecordedDecision { name: name.into(), limit, cost: 1, decision, key: 0 }
}

/// Returns the decision of an admitted call that leaves `remaining` units. All units are free again after `reset_after`.
fn admitted(name: &'static str, limit: Limit, remaining: u32, reset_after: Duration) -> RecordedDecision {
    recorded(name, limit, Decision::allow(&limit, remaining, reset_after))
}

/// Returns the decision of a refused call. With `wait = None` the call never passes.
fn refused(name: &'static str, limit: Limit, remaining: u32, wait: Option<Duration>) -> RecordedDecision {
    recorded(name, limit, Decision::refuse(&limit, remaining, wait, limit.time()))
}

/// The fields of a response, as they are on the wire.
fn lines(headers: RateLimitHeaders, status: u16, decisions: &[RecordedDecision]) -> String {
    let fields = headers.fields(status, decisions);
    fields.into_iter().flat_map(|(name, value)| [name, ": ", &value, "\n"].map(str::to_owned)).collect()
}
