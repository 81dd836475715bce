//! CSV: the calls of each part of the time, and each call with its decision.

use crate::simulate::hash::IdentityHash;
use crate::simulate::numbers::index;
use crate::simulate::report::{FILES, Report};
use crate::simulate::time;
use crate::simulate::traffic::{Call, Traffic, name};
use csv::Writer;
use ratelimit::{Decision, Limit};
use std::time::Duration;

/// The rows of a file. Writing them to memory does not fail.
struct Rows(Writer<Vec<u8>>);

impl Rows {
    fn new<const N: usize>(titles: [&str; N]) -> Self {
        let mut rows = Self(Writer::from_writer(Vec::new()));
        rows.add(titles.map(str::to_owned));
        rows
    }

    fn add<const N: usize>(&mut self, cells: [String; N]) {
        let _ = self.0.write_record(cells);
    }

    fn finish(self) -> Vec<u8> {
        self.0.into_inner().unwrap_or_default()
    }
}

/// The calls of each limit in each part of the time.
pub(crate) fn parts(report: &Report<'_>) -> Vec<u8> {
    let mut rows = Rows::new(["limit", "start", "offered", "admitted", "refused"]);
    for outcome in &report.outcomes {
        let series = &outcome.series[FILES];
        let parts = series.offered.iter().zip(&series.admitted).zip(&series.refused);
        for (part, ((offered, admitted), refused)) in (0..).zip(parts) {
            let start = report.traffic.origin.stamp(part * series.grid.width);
            let counts = [offered, admitted, refused].map(ToString::to_string);
            let [offered, admitted, refused] = counts;
            rows.add([outcome.limit.to_string(), start, offered, admitted, refused]);
        }
    }
    rows.finish()
}

/// All calls, and the decision of each limit about each of them.
pub(crate) struct Calls<'t> {
    traffic: &'t Traffic,
    /// The names of the callers.
    names: Vec<String>,
    rows: Rows,
}

impl<'t> Calls<'t> {
    pub(crate) fn new(traffic: &'t Traffic, hash: Option<&IdentityHash>) -> Self {
        let names = traffic.callers.iter().map(|caller| harmless(name(caller, hash))).collect();
        let titles = ["limit", "time", "caller", "decision", "wait_us", "remaining", "retry_after_us"];
        Self { traffic, names, rows: Rows::new(titles) }
    }

    pub(crate) fn add(&mut self, limit: &Limit, call: Call, decision: &Decision) {
        let time = self.traffic.origin.stamp(call.at);
        let caller = self.names.get(index(call.caller.into())).cloned().unwrap_or_default();
        let micros = |time: Duration| time::micros(time).to_string();
        let [what, wait, remaining, retry_after] = if decision.is_allowed() {
            let remaining = decision.remaining().to_string();
            ["admitted".to_owned(), micros(decision.delay()), remaining, String::new()]
        } else {
            let after = decision.retry_after().map_or_else(|| "never".to_owned(), micros);
            ["refused".to_owned(), String::new(), String::new(), after]
        };
        self.rows.add([limit.to_string(), time, caller, what, wait, remaining, retry_after]);
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.rows.finish()
    }
}

/// A text that spreadsheets do not evaluate. They evaluate texts that begin with `=`, `+`, `-` or `@`.
fn harmless(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_field() {
        let mut rows = Rows::new(["name"]);
        for name in ["ann", "a,b", "a\"b", "=1+1"] {
            rows.add([harmless(name.to_owned())]);
        }
        assert_eq!(rows.finish(), b"name\nann\n\"a,b\"\n\"a\"\"b\"\n'=1+1\n");
    }
}
