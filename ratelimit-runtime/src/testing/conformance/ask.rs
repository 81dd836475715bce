//! `Ask`: one request of a check, and its description in one line.

use crate::decision::Decision;
use crate::limit::Limit;
use crate::store::Mode;

/// One request on the key with the label `label`.
#[derive(Clone, Copy)]
pub(super) struct Ask<'a> {
    pub(super) label: &'a str,
    pub(super) limit: Limit,
    pub(super) cost: u32,
    pub(super) keep: u32,
    pub(super) permit: u64,
    pub(super) with_next: bool,
}

impl<'a> Ask<'a> {
    pub(super) const fn new(label: &'a str, limit: Limit, cost: u32) -> Self {
        Self { label, limit, cost, keep: 0, permit: 1, with_next: false }
    }

    pub(super) const fn permit(self, permit: u64) -> Self {
        Self { permit, ..self }
    }

    pub(super) const fn keep(self, keep: u32) -> Self {
        Self { keep, ..self }
    }

    /// Puts this request and the next request into one stack.
    pub(super) const fn with_next(self) -> Self {
        Self { with_next: true, ..self }
    }
}

/// Describes the request and its decision in one line.
pub(super) fn shown(mode: Mode, ask: &Ask<'_>, decision: &Decision) -> String {
    let Ask { label, limit, cost, keep, permit, with_next } = ask;
    let mode = match mode {
        Mode::Check => "check",
        Mode::Charge => "charge",
        Mode::Peek => "peek",
    };
    let permit = if limit.is_concurrency() { format!(" as permit {permit}") } else { String::new() };
    let keep = if *keep > 0 { format!(", keep {keep}") } else { String::new() };
    let stack = if *with_next { ", together with the next" } else { "" };
    let outcome = match (decision.is_allowed(), decision.retry_after()) {
        (true, _) if decision.delay().is_zero() => "admitted".to_owned(),
        (true, _) => format!("admitted after {:?}", decision.delay()),
        (false, Some(wait)) => format!("refused for {wait:?}"),
        (false, None) => "refused for ever".to_owned(),
    };
    let stamp = if decision.stamp() > 0 { format!(", stamp {}", decision.stamp()) } else { String::new() };
    format!(
        "{mode} {cost} of `{limit}` under `{label}`{permit}{keep}{stack}: {outcome}, {} of {} left, all free after {:?}{stamp}",
        decision.remaining(),
        decision.capacity(),
        decision.reset_after()
    )
}
