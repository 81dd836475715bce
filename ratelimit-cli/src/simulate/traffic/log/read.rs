//! Reads a log as traffic: counts what it leaves out, and sorts lines whose times run backwards.

use super::error::LogError;
use super::identity::Numbers;
use super::line::{Broken, parse};
use super::lines::{Lines, Next};
use super::selection::{By, Selection};
use super::table::{Columns, Row};
use super::years::within_a_year;
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
    other_status: u64,
    unidentified: u64,
    /// Lines that are earlier than a line before them, and by how many seconds at most.
    backwards: u64,
    largest_step: i64,
    latest: i64,
    ahead: Option<i64>,
    numbers: Numbers,
    /// The columns, if the log is a table.
    columns: Option<Columns>,
    /// Whether a row has several calls that were spread over its seconds.
    is_spread: bool,
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
        if self.lines == 0 && self.columns.is_none() {
            self.columns = Columns::of(text);
            if self.columns.is_some() {
                return match selection {
                    Selection { path: Some(_), .. } => Err(LogError::NotInTables("--path")),
                    Selection { statuses, .. } if !statuses.is_empty() => {
                        Err(LogError::NotInTables("--status"))
                    }
                    _ => Ok(()),
                };
            }
        }
        if let Some(columns) = self.columns {
            return match columns.read(text) {
                Ok(row) => self.row(&row, selection),
                Err(broken) => {
                    self.break_at(number, broken);
                    Ok(())
                }
            };
        }
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
        if !selection.has_status(&line) {
            self.other_status += 1;
            return Ok(());
        }
        let Some(caller) = selection.caller(&line, &mut self.numbers) else {
            self.unidentified += 1;
            return Ok(());
        };
        self.in_order(line.at);
        self.call(line.at, line.ahead, caller)
    }

    /// The calls of a row, spread evenly over its seconds.
    fn row(&mut self, row: &Row, selection: &Selection) -> Result<(), LogError> {
        self.lines += 1;
        let Some(caller) = selection.caller_of_row(&row.caller, &mut self.numbers) else {
            self.unidentified += 1;
            return Ok(());
        };
        self.is_spread |= row.calls > 1 && row.seconds > 1;
        self.in_order(row.at);
        for call in 0..row.calls {
            let after = u64::from(call) * u64::from(row.seconds) / u64::from(row.calls);
            self.call(row.at + i64::try_from(after).unwrap_or_default(), row.ahead, caller)?;
        }
        Ok(())
    }

    fn call(&mut self, at: i64, ahead: i64, caller: u32) -> Result<(), LogError> {
        self.ahead.get_or_insert(ahead);
        self.calls.push((at, caller));
        if count(self.calls.len()) > MOST_CALLS { Err(LogError::TooManyCalls) } else { Ok(()) }
    }

    /// Counts a line that is earlier than a line before it.
    fn in_order(&mut self, at: i64) {
        if self.calls.is_empty() {
            self.latest = at;
        } else if at < self.latest {
            self.backwards += 1;
            self.largest_step = self.largest_step.max(self.latest - at);
        }
        self.latest = self.latest.max(at);
    }

    fn into_traffic(mut self, name: &str, selection: &Selection) -> Result<Traffic, LogError> {
        let readable = self.lines - self.broken;
        let (Some(ahead), false) = (self.ahead, self.calls.is_empty()) else {
            return Err(match self.first_broken {
                Some(first) if readable == 0 && self.columns.is_some() => {
                    LogError::NoReadableRow { lines: self.lines, first }
                }
                Some(first) if readable == 0 => LogError::NoReadableLine { lines: self.lines, first },
                _ if readable == 0 => LogError::Empty,
                _ if self.columns.is_some() => LogError::NoCaller { lines: readable },
                _ => LogError::NothingSelected { lines: readable, selection: selection.clone() },
            });
        };
        // A stable sort: the calls of one second stay in the order of their lines.
        self.calls.sort_by_key(|(at, _)| *at);
        let mut notes = self.notes();
        let (callers, other_years) = within_a_year(&mut self.calls, self.numbers);
        if other_years > 0 {
            notes.insert(
                0,
                format!("Calls of another year than most others, which were left out: {other_years}."),
            );
        }
        let start = self.calls.first().map_or(0, |(at, _)| *at);
        let since = |at: i64| u64::try_from(at - start).unwrap_or_default().saturating_mul(SECOND);
        let last = self.calls.last().map_or(start, |(at, _)| *at);
        let length = since(last) + SECOND; // the last second is a part of the log
        let calls: Vec<Call> =
            self.calls.iter().map(|(at, caller)| Call { at: since(*at), caller: *caller }).collect();
        let callers = Callers::Named(callers);
        let who = match (selection.by, callers.count()) {
            (By::Address | By::User, 1) if self.columns.is_some() => "1 caller".to_owned(),
            (By::Address | By::User, callers) if self.columns.is_some() => format!("{callers} callers"),
            (By::Address, 1) => "1 address".to_owned(),
            (By::Address, addresses) => format!("{addresses} addresses"),
            (By::User, 1) => "1 user".to_owned(),
            (By::User, users) => format!("{users} users"),
            (By::Global, _) => "one limit for all".to_owned(),
        };
        let selected = selection.words();
        let words = format!("{} calls{selected} in {} of {name}, {who}", calls.len(), time::show(length));
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
        if self.other_status > 0 {
            notes.push(format!("Lines with another status: {}.", self.other_status));
        }
        if self.unidentified > 0 {
            let who = if self.columns.is_some() { "caller" } else { "user" };
            notes.push(format!("Lines without a {who}, which were left out: {}.", self.unidentified));
        }
        if self.backwards > 0 {
            notes.push(format!(
                "Lines that are earlier than a line before them: {}, by up to {} s. All lines were sorted by time.",
                self.backwards, self.largest_step
            ));
        }
        if self.is_spread {
            notes.push(
                "The calls of a row are spread evenly over its `seconds`, so shorter bursts are not seen."
                    .to_owned(),
            );
        }
        notes.push(
            "The log has whole seconds, so all calls of a second come at once. Limits shorter than some seconds look stricter than they are."
                .to_owned(),
        );
        notes
    }
}

#[cfg(test)]
mod tests;
