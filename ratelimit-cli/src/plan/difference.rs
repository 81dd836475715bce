//! Computes the changes after which the store has the overrides of a file.

use super::file::Wanted;
use super::left;
use crate::output::{Output, Style, safe};
use crate::overrides::{change, target};
use crate::session::Session;
use jiff::{Timestamp, Unit};
use ratelimit::overrides::{Override, OverrideTarget, OverrideUpdate};
use serde_json::{Value, json};
use std::time::Duration;

/// Two ends of an override count as equal if they differ by at most this time. The store returns the time that is left, and not
/// the end, so an end can only be computed approximately.
const SAME: Duration = Duration::from_secs(5);

/// An override that must be set, changed or removed.
pub(super) struct Difference {
    name: String,
    caller: Option<String>,
    target: OverrideTarget,
    before: Option<State>,
    wanted: Option<Wanted>,
}

/// An override, in the store or in the file.
struct State {
    change: String,
    expires: Option<Timestamp>,
}

impl State {
    fn of(found: &Override, now: Timestamp) -> Self {
        Self { change: change(found), expires: found.expires_in().map(|left| now + left) }
    }

    fn is(&self, wanted: &Wanted) -> bool {
        let same_end = match (self.expires, wanted.expires) {
            (None, None) => true,
            (Some(is), Some(wanted)) => is.duration_since(wanted).unsigned_abs() <= SAME,
            _ => false,
        };
        same_end && self.change == wanted.change.to_string()
    }
}

/// Compares a file with the store. The overrides to set come before the overrides to remove.
pub(super) fn differences(
    wanted: Vec<Wanted>,
    found: &[Override],
    now: Timestamp,
    session: &Session,
) -> Vec<Difference> {
    let superfluous: Vec<&Override> =
        found.iter().filter(|found| wanted.iter().all(|wanted| wanted.target != *found.target())).collect();
    let mut differences: Vec<Difference> = wanted
        .into_iter()
        .filter_map(|wanted| {
            let before = found.iter().find(|found| *found.target() == wanted.target);
            let before = before.map(|found| State::of(found, now));
            if before.as_ref().is_some_and(|before| before.is(&wanted)) {
                return None;
            }
            let name = wanted.caller.name.clone();
            let values = wanted.caller.shown.iter().chain(&wanted.caller.shown_parts);
            let caller = values.map(String::as_str).collect::<Vec<_>>().join("=");
            let caller = (!caller.is_empty()).then_some(caller);
            Some(Difference { name, caller, target: wanted.target.clone(), before, wanted: Some(wanted) })
        })
        .collect();
    differences.extend(superfluous.into_iter().map(|found| {
        let (name, caller) = target(found, session);
        let before = Some(State::of(found, now));
        Difference { name, caller, target: found.target().clone(), before, wanted: None }
    }));
    differences
}

impl Difference {
    /// The change in the form that the library makes.
    pub(super) fn update(&self, now: Timestamp) -> OverrideUpdate {
        let wanted = self.wanted.as_ref();
        let expires_in = wanted.and_then(|wanted| left(now, wanted.expires?));
        OverrideUpdate { target: self.target.clone(), change: wanted.map(|wanted| wanted.change), expires_in }
    }

    pub(super) fn as_text(&self, output: Output) -> String {
        let (sign, style) = match (&self.before, &self.wanted) {
            (None, _) => ("+ set", Style::Good),
            (_, None) => ("- remove", Style::Bad),
            _ => ("~ change", Style::Warning),
        };
        let who = self.caller.as_ref().map_or_else(String::new, |caller| format!(" for {caller}"));
        let who = safe(&format!("{}{who}", self.name));
        let before = self.before.as_ref().map(|before| shown(&before.change, before.expires));
        let wanted = self.wanted.as_ref().map(|wanted| shown(&wanted.change.to_string(), wanted.expires));
        let change = before.into_iter().chain(wanted).collect::<Vec<_>>().join(" -> ");
        format!("{} {who}: {change}\n", output.paint(sign, style))
    }

    pub(super) fn as_json(&self) -> Value {
        let state = |change: String, expires: Option<Timestamp>| json!({ "change": change, "expires": expires.map(rounded) });
        json!({
            "name": self.name,
            "identity": self.caller,
            "before": self.before.as_ref().map(|before| state(before.change.clone(), before.expires)),
            "wanted": self.wanted.as_ref().map(|wanted| state(wanted.change.to_string(), wanted.expires)),
        })
    }
}

fn rounded(time: Timestamp) -> String {
    time.round(Unit::Second).unwrap_or(time).to_string()
}

fn shown(change: &str, expires: Option<Timestamp>) -> String {
    let expires = expires.map_or_else(String::new, |end| format!(" until {}", rounded(end)));
    format!("{}{expires}", safe(change))
}
