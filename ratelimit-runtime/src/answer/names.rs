//! The names of the limits of one request, as its response shows them. No two limits of a response have the same name.

use super::recorded::RecordedDecision;
use smallvec::SmallVec;
use std::borrow::Cow;

/// A limit of a request, with the last decision about it.
#[derive(Debug)]
pub(super) struct Named<'r> {
    pub(super) name: Cow<'r, str>,
    pub(super) recorded: &'r RecordedDecision,
}

impl Named<'_> {
    pub(super) fn is_refused(&self) -> bool {
        !self.recorded.decision.is_allowed()
    }
}

/// The limits of a request in the order of their first decision, without the limits of outgoing calls.
///
/// If several limits have the same public name, each gets its time as a suffix: `search/1s` and `search/1d`. Names that are
/// still equal get a number: `search/1s/2`. `decisions` contains only the last decision of each limit, as the context of a
/// request does.
pub(super) fn named(decisions: &[RecordedDecision]) -> SmallVec<[Named<'_>; 1]> {
    if let [recorded] = decisions
        && !recorded.name.is_internal()
    {
        return SmallVec::from_buf([Named { name: Cow::Borrowed(recorded.name.public()), recorded }]);
    }
    let shown = || decisions.iter().filter(|recorded| !recorded.name.is_internal());
    let public: Vec<&str> = shown().map(|recorded| recorded.name.public()).collect();
    let mut all = SmallVec::with_capacity(public.len());
    for (recorded, public_name) in shown().zip(&public) {
        let is_shared = public.iter().filter(|other| *other == public_name).count() > 1;
        let name = if is_shared { with_time(public_name, recorded) } else { Cow::Borrowed(*public_name) };
        all.push(Named { name: unused(name, &all), recorded });
    }
    all
}

/// Appends the limit's time to the name, if the name does not end with this time yet.
fn with_time<'r>(name: &'r str, recorded: &RecordedDecision) -> Cow<'r, str> {
    let time = format!("/{}", recorded.limit.time_text());
    if name.ends_with(&time) { Cow::Borrowed(name) } else { Cow::Owned(format!("{name}{time}")) }
}

/// Appends a number to a name that another limit already has.
fn unused<'r>(name: Cow<'r, str>, others: &[Named<'_>]) -> Cow<'r, str> {
    let is_free = |name: &str| others.iter().all(|other| other.name != name);
    if is_free(&name) {
        return name;
    }
    let mut numbered = (2..).map(|number: u64| format!("{name}/{number}"));
    numbered.find(|name| is_free(name)).map_or(name.clone(), Cow::Owned)
}
