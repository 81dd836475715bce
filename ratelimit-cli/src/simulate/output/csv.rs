//! Writes each call with its decision as CSV.

use crate::simulate::hash::IdentityHash;
use crate::simulate::numbers::index;
use crate::simulate::time;
use crate::simulate::traffic::{Call, Traffic, name};
use csv::Writer;
use ratelimit::{Decision, Limit};
use std::time::Duration;

/// The rows of all calls, with the decision of each limit about each call.
pub(crate) struct Calls<'t> {
    traffic: &'t Traffic,
    /// The names of the callers.
    names: Vec<String>,
    rows: Writer<Vec<u8>>,
}

impl<'t> Calls<'t> {
    pub(crate) fn new(traffic: &'t Traffic, hash: Option<&IdentityHash>) -> Self {
        let names = traffic.callers.iter().map(|caller| harmless(name(caller, hash))).collect();
        let mut calls = Self { traffic, names, rows: Writer::from_writer(Vec::new()) };
        let titles = ["limit", "time", "caller", "decision", "wait_us", "remaining", "retry_after_us"];
        calls.row(titles.map(str::to_owned));
        calls
    }

    fn row(&mut self, cells: [String; 7]) {
        // Writing to memory does not fail.
        let _ = self.rows.write_record(cells);
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
        self.row([limit.to_string(), time, caller, what, wait, remaining, retry_after]);
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.rows.into_inner().unwrap_or_default()
    }
}

/// Changes a text so that spreadsheets do not evaluate it. They evaluate texts that begin with `=`, `+`, `-` or `@`.
fn harmless(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn no_name_is_a_formula() {
        assert_eq!(["ann", "=1+1"].map(|name| harmless(name.to_owned())), ["ann", "'=1+1"]);
    }
}
