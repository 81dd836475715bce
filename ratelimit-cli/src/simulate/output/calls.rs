//! CSV of all calls: what each limit decided about each of them.

use crate::simulate::engine::Decided;
use crate::simulate::hash::IdentityHash;
use crate::simulate::traffic::{Call, Traffic};
use ratelimit::Limit;
use std::fmt::Write;

/// A growing file, or nothing if nobody asked for it.
pub(crate) struct Calls<'t> {
    traffic: &'t Traffic,
    /// The names of the callers as they stand in the file.
    names: Vec<String>,
    text: String,
}

impl<'t> Calls<'t> {
    pub(crate) fn new(traffic: &'t Traffic, hash: Option<&IdentityHash>) -> Self {
        let callers = u32::try_from(traffic.callers.count()).unwrap_or(u32::MAX);
        let names = (0..callers).map(|caller| quoted(&traffic.callers.name(caller, hash))).collect();
        let text = String::from("limit,time,caller,decision,wait_us,remaining,retry_after_us\n");
        Self { traffic, names, text }
    }

    pub(crate) fn add(&mut self, limit: &Limit, call: Call, decided: Decided) {
        let time = self.traffic.origin.stamp(call.at);
        let caller = usize::try_from(call.caller).ok().and_then(|at| self.names.get(at));
        let caller = caller.map_or("", String::as_str);
        // Writing to a `String` does not fail.
        let _ = match decided {
            Decided::Admitted { wait, remaining } => {
                writeln!(self.text, "{limit},{time},{caller},admitted,{wait},{remaining},")
            }
            Decided::Refused { retry_after: Some(after) } => {
                writeln!(self.text, "{limit},{time},{caller},refused,,,{after}")
            }
            Decided::Refused { retry_after: None } => {
                writeln!(self.text, "{limit},{time},{caller},refused,,,never")
            }
        };
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// A field of CSV. It is quoted if it could be read as something else than text: programs for tables compute what begins
/// with `=`, `+`, `-` or `@`.
fn quoted(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if formula || text.contains([',', '"', '\n', '\r']) {
        format!("\"{}{}\"", if formula { "'" } else { "" }, text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn names_cannot_leave_their_field() {
        let names = ["ann", "a,b", "a\"b", "=1+1"].map(quoted);
        assert_eq!(names, ["ann", "\"a,b\"", "\"a\"\"b\"", "\"'=1+1\""]);
    }
}
