//! Reads a log as traffic: counts what it leaves out, and sorts lines whose times run backwards.

use super::error::LogError;
use super::identity::Numbers;
use super::line::{Broken, parse};
use super::lines::{Lines, Next};
use super::selection::{By, Selection};
use crate::simulate::numbers::count;
use crate::simulate::time::{self, SECOND};
use crate::simulate::traffic::{Call, Callers, MOST_CALLS, Origin, Traffic};
use std::io::BufRead;

/// What a log contains, while it is read.
#[derive(Default)]
struct Reading {
    /// Lines that are not empty.
    lines: u64,
    /// Broken lines, and the number and the mistake of the first one.
    broken: u64,
    first_broken: Option<(u64, Broken)>,
    elsewhere: u64,
    unidentified: u64,
    /// Lines that are earlier than a line before them, and by how many seconds at most.
    backwards: u64,
    largest_step: i64,
    latest: i64,
    ahead: Option<i64>,
    numbers: Numbers,
    /// Seconds since 1970 and the caller.
    calls: Vec<(i64, u32)>,
}

/// Reads a whole log. `name` is its name in descriptions.
pub(crate) fn read(reader: impl BufRead, name: &str, selection: &Selection) -> Result<Traffic, LogError> {
    let mut reading = Reading::default();
    let (mut lines, mut number) = (Lines::new(reader), 0);
    loop {
        number += 1;
        match lines.next()? {
            Next::End => break,
            Next::TooLong => reading.break_at(number, Broken::TooLong),
            Next::Line(line) if number == 1 && line.starts_with(&[0x1f, 0x8b]) => {
                return Err(LogError::Compressed);
            }
            Next::Line(b"") => {}
            Next::Line(line) => reading.line(number, line, selection)?,
        }
    }
    reading.into_traffic(name, selection)
}

impl Reading {
    fn break_at(&mut self, number: u64, broken: Broken) {
        self.lines += 1;
        self.broken += 1;
        self.first_broken.get_or_insert((number, broken));
    }

    fn line(&mut self, number: u64, text: &[u8], selection: &Selection) -> Result<(), LogError> {
        let line = match parse(text) {
            Ok(line) => line,
            Err(broken) => {
                self.break_at(number, broken);
                return Ok(());
            }
        };
        self.lines += 1;
        if !selection.has_path(&line) {
            self.elsewhere += 1;
            return Ok(());
        }
        let Some(caller) = selection.caller(&line, &mut self.numbers) else {
            self.unidentified += 1;
            return Ok(());
        };
        self.ahead.get_or_insert(line.ahead);
        if !self.calls.is_empty() && line.at < self.latest {
            self.backwards += 1;
            self.largest_step = self.largest_step.max(self.latest - line.at);
        }
        self.latest = if self.calls.is_empty() { line.at } else { self.latest.max(line.at) };
        self.calls.push((line.at, caller));
        if count(self.calls.len()) > MOST_CALLS { Err(LogError::TooManyCalls) } else { Ok(()) }
    }

    fn into_traffic(mut self, name: &str, selection: &Selection) -> Result<Traffic, LogError> {
        let readable = self.lines - self.broken;
        let (Some(ahead), false) = (self.ahead, self.calls.is_empty()) else {
            return Err(match self.first_broken {
                Some(first) if readable == 0 => LogError::NoReadableLine { lines: self.lines, first },
                _ if readable == 0 => LogError::Empty,
                _ => LogError::NothingSelected { lines: readable, selection: selection.clone() },
            });
        };
        // A stable sort: the calls of one second stay in the order of their lines.
        self.calls.sort_by_key(|(at, _)| *at);
        let start = self.calls.first().map_or(0, |(at, _)| *at);
        let since = |at: i64| u64::try_from(at - start).unwrap_or_default().saturating_mul(SECOND);
        let length = since(self.latest) + SECOND; // the last second is a part of the log
        if length > 366 * time::DAY {
            return Err(LogError::TooLong);
        }
        let notes = self.notes();
        let calls: Vec<Call> =
            self.calls.iter().map(|(at, caller)| Call { at: since(*at), caller: *caller }).collect();
        let callers = Callers::Named(self.numbers.into_names());
        let who = match (selection.by, callers.count()) {
            (By::Address, 1) => "1 address".to_owned(),
            (By::Address, addresses) => format!("{addresses} addresses"),
            (By::User, 1) => "1 user".to_owned(),
            (By::User, users) => format!("{users} users"),
            (By::Global, _) => "one limit for all".to_owned(),
        };
        let path = selection.path.as_ref().map_or(String::new(), |path| format!(" below {path}"));
        let words = format!("{} calls{path} in {} of {name}, {who}", calls.len(), time::show(length));
        Ok(Traffic { words, calls, callers, length, origin: Origin::Log { start, ahead }, notes })
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some((number, broken)) = self.first_broken {
            let Self { broken: count, lines, .. } = self;
            notes.push(format!(
                "Broken lines, which were left out: {count} of {lines}. The first one is line {number}: {broken}."
            ));
        }
        if self.elsewhere > 0 {
            notes.push(format!("Lines with another path: {}.", self.elsewhere));
        }
        if self.unidentified > 0 {
            notes.push(format!("Lines without a user, which were left out: {}.", self.unidentified));
        }
        if self.backwards > 0 {
            notes.push(format!(
                "Lines that are earlier than a line before them: {}, by up to {} s. All lines were sorted by time.",
                self.backwards, self.largest_step
            ));
        }
        notes.push(
            "The log has whole seconds, so all calls of a second come at once. Limits shorter than some seconds look stricter than they are."
                .to_owned(),
        );
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(second: u32, address: &str, user: &str, path: &str) -> String {
        format!("{address} - {user} [22/Nov/2026:12:36:{second:02} +0100] \"GET {path} HTTP/1.1\" 200 7\n")
    }

    fn traffic(text: &str, selection: &Selection) -> Result<Traffic, String> {
        read(text.as_bytes(), "a.log", selection).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_become_calls_in_the_order_of_their_times() {
        let text = [
            line(10, "203.0.113.7", "ann", "/a"),
            "nonsense\n".to_owned(),
            line(13, "203.0.113.8", "-", "/a"),
            "\n".to_owned(),
            line(11, "203.0.113.7", "ann", "/b"),
        ]
        .concat();
        let found = traffic(&text, &Selection::default()).unwrap();
        let calls = [(0, 0), (1, 0), (3, 1)].map(|(at, caller)| Call { at: at * SECOND, caller });
        assert_eq!(found.calls, calls);
        assert_eq!(found.origin, Origin::Log { start: 1_795_347_370, ahead: 3600 });
        assert_eq!(found.words, "3 calls in 4s of a.log, 2 addresses");
        assert!(
            found.notes[0].starts_with("Broken lines, which were left out: 1 of 4."),
            "{:?}",
            found.notes
        );
        assert!(found.notes[0].contains("line 2: it does not begin"), "{:?}", found.notes);
        assert!(found.notes[1].contains("before them: 1, by") && found.notes[1].contains("up to 2 s"));
    }

    #[test]
    fn users_and_paths_select_lines() {
        let text = [
            line(10, "203.0.113.7", "ann", "/login"),
            line(11, "203.0.113.7", "-", "/login"),
            line(12, "203.0.113.8", "ann", "/home"),
        ]
        .concat();
        let selection = Selection { by: By::User, path: Some("/login".to_owned()) };
        let found = traffic(&text, &selection).unwrap();
        assert_eq!((found.calls.len(), found.callers.count()), (1, 1));
        assert!(found.notes[0].contains("another path: 1."), "{:?}", found.notes);
        assert!(found.notes[1].contains("which were left out: 1."), "{:?}", found.notes);
        let error = traffic(&text, &Selection { path: Some("/x".to_owned()), ..selection }).unwrap_err();
        assert_eq!(error, "none of its 3 readable lines has a path that begins with `/x` and a user");
    }

    #[test]
    fn a_log_without_calls_is_an_error() {
        let error = |text: &str| traffic(text, &Selection::default()).unwrap_err();
        assert_eq!(error("\n\n"), "it is empty");
        assert!(
            error("a b c\nd\n")
                .starts_with("none of its 2 lines is in the combined format; line 1: it has no time")
        );
        assert!(error("\u{1f}\n").contains("line 1: it does not begin"));
        let compressed = read(&[0x1f, 0x8b, 8, 0, 10][..], "a.gz", &Selection::default()).unwrap_err();
        assert!(compressed.to_string().contains("zcat FILE"), "{compressed}");
        let far =
            line(10, "203.0.113.7", "-", "/") + &line(10, "203.0.113.7", "-", "/").replace("2026", "2028");
        assert_eq!(error(&far), "its times are more than 366 days apart");
    }
}
