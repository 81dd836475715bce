//! Problem details (RFC 9457) for rejections, with the problem type of the draft of the `RateLimit` fields.

use super::Answer;
use super::names::{Named, named};
use super::recorded::RecordedDecision;
use crate::rejection::Rejection;
use std::borrow::Cow;
use std::fmt::Write;

const CONTENT_TYPE: &str = "application/problem+json";

// draft-ietf-httpapi-ratelimit-headers-11.
const QUOTA_EXCEEDED: &str = "https://iana.org/assignments/http-problem-types#quota-exceeded";
const QUOTA_EXCEEDED_TITLE: &str = "Request cannot be satisfied as assigned quota has been exceeded";
const REDUCED_CAPACITY: &str = "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity";
const REDUCED_CAPACITY_TITLE: &str =
    "Request cannot be satisfied due to temporary server capacity constraints";
const VIOLATED: &str = "violated-policies";

/// The type of a problem without a specific type. The title of the problem is then the reason phrase of the status.
const BLANK: &str = "about:blank";

/// Writes the problem details of a rejection into its answer. `decisions` are the decisions about the same request.
pub(super) fn write(rejection: &Rejection, decisions: &[RecordedDecision], answer: &mut Answer) {
    let status = answer.status;
    let mut json = match rejection {
        Rejection::Limited(_) if rejection.is_adaptive() => {
            start(REDUCED_CAPACITY, REDUCED_CAPACITY_TITLE, status)
        }
        Rejection::Limited(_) if !rejection.is_internal() => {
            start(QUOTA_EXCEEDED, QUOTA_EXCEEDED_TITLE, status)
        }
        Rejection::Unidentified(_) => start(BLANK, "Bad Request", status),
        Rejection::Limited(_) | Rejection::Unavailable(_) => start(BLANK, "Service Unavailable", status),
    };
    // If the wait is known, the title and `Retry-After` contain enough information, so the detail is left out.
    if !matches!(rejection, Rejection::Limited(limited) if limited.retry_after_secs().is_some()) {
        json.push_str(",\"detail\":");
        push_string(&mut json, &rejection.to_string());
    }
    if matches!(rejection, Rejection::Limited(_)) && !rejection.is_of_service() {
        let _ = write!(json, ",\"{VIOLATED}\":[");
        for (at, name) in violated(rejection, &named(decisions)).into_iter().enumerate() {
            if at > 0 {
                json.push(',');
            }
            push_string(&mut json, name);
        }
        json.push(']');
    }
    json.push('}');
    answer.content_type = Cow::Borrowed(CONTENT_TYPE);
    answer.body = json.into_bytes();
}

fn start(kind: &str, title: &str, status: u16) -> String {
    format!("{{\"type\":\"{kind}\",\"title\":\"{title}\",\"status\":{status}")
}

/// Returns the names of the limits that refused the request. The limit of the rejection is always among them. If a method of
/// the limiter has decided it, the decision is not recorded, so this function adds the name.
fn violated<'n>(rejection: &'n Rejection, limits: &'n [Named<'_>]) -> Vec<&'n str> {
    let refused = || limits.iter().filter(|limit| limit.is_refused());
    let is_recorded = refused().any(|limit| limit.recorded.name() == rejection.name());
    let own = (!is_recorded).then(|| rejection.public_name());
    own.into_iter().chain(refused().map(|limit| &*limit.name)).collect()
}

/// Appends a JSON string (RFC 8259).
fn push_string(json: &mut String, text: &str) {
    json.push('"');
    for c in text.chars() {
        match c {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\0'..='\u{1f}' => {
                let _ = write!(json, "\\u{:04x}", u32::from(c));
            }
            _ => json.push(c),
        }
    }
    json.push('"');
}
