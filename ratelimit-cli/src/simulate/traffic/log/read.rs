//! Reads a log as traffic. Counts the lines that it leaves out, and sorts the calls by time.

use super::identity::Numbers;
use super::line::{TOO_LONG, parse};
use super::notes::Counts;
use super::selection::{By, Selection};
use super::table::{Columns, Row};
use crate::output::safe;
use crate::simulate::numbers::index;
use crate::simulate::time::{self, SECOND};
use crate::simulate::traffic::call::{Call, MOST_CALLS, Traffic};
use crate::simulate::traffic::{Caller, Origin, Spent};
use jiff::Timestamp;
use jiff::tz::Offset;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The maximum length of a line in bytes, so that a file without line ends does not fill the memory.
const LONGEST: u64 = 64 * 1024;

/// A year in seconds.
const YEAR: u64 = 366 * 86_400;

/// The content of a log, while it is read.
#[derive(Default)]
struct Reading {
    counts: Counts,
    latest: i64,
    zone: Option<Offset>,
    numbers: Numbers,
    /// The time in seconds since 1970, the number of the caller, and the position among `spent`, of each call.
    calls: Vec<(i64, u32, u32)>,
    /// What calls have cost, in the order of the rows. Empty if the log does not say it.
    spent: Vec<Spent>,
}

/// Reads the log at a path.
pub(crate) fn open(path: &Path, selection: &Selection) -> Result<Traffic, String> {
    let name = safe(&path.file_name().unwrap_or_default().to_string_lossy());
    let file = File::open(path).map_err(|error| error.to_string())?;
    read(BufReader::with_capacity(1 << 18, file), &name, selection)
}

/// Reads a whole log. `name` is its name in descriptions.
pub(crate) fn read(mut reader: impl BufRead, name: &str, selection: &Selection) -> Result<Traffic, String> {
    let mut reading = Reading::default();
    let mut first = Vec::new();
    next_line(&mut reader, &mut first)?;
    if first.starts_with(&[0x1f, 0x8b]) {
        return Err("it is compressed; write `zcat FILE | ratelimit simulate LIMIT --log -`".to_owned());
    }
    if let Some(columns) = Columns::of(&first) {
        reading.counts.is_table = true;
        reading.table(reader, columns, selection)?;
    } else {
        reading.lines(first, reader, selection)?;
    }
    reading.into_traffic(name, selection)
}

/// Reads a line with its end into `line`. A line longer than [`LONGEST`] is cut.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> Result<usize, String> {
    line.clear();
    let read = reader.by_ref().take(LONGEST).read_until(b'\n', line);
    let is_cut = line.len() as u64 == LONGEST && line.last() != Some(&b'\n');
    let skipped = if is_cut { reader.skip_until(b'\n') } else { Ok(0) };
    read.and_then(|read| skipped.map(|_| read)).map_err(|error| error.to_string())
}

impl Reading {
    fn lines(
        &mut self,
        mut line: Vec<u8>,
        mut reader: impl BufRead,
        selection: &Selection,
    ) -> Result<(), String> {
        let mut number = 1;
        while !line.is_empty() {
            if line.len() as u64 == LONGEST {
                self.counts.break_at(number, TOO_LONG);
            } else if !line.trim_ascii_end().is_empty() {
                self.line(number, line.trim_ascii_end(), selection)?;
            }
            number += 1;
            next_line(&mut reader, &mut line)?;
        }
        Ok(())
    }

    fn line(&mut self, number: u64, text: &[u8], selection: &Selection) -> Result<(), String> {
        let line = match parse(text) {
            Ok(line) => line,
            Err(broken) => {
                self.counts.break_at(number, broken);
                return Ok(());
            }
        };
        self.counts.lines += 1;
        if !selection.has_path(&line) {
            self.counts.elsewhere += 1;
        } else if !selection.has_status(&line) {
            self.counts.other_status += 1;
        } else if let Some(caller) = selection.caller(Some(line.address), line.user, &mut self.numbers) {
            self.in_order(line.at);
            self.call(line.at, line.zone, caller)?;
        } else {
            self.counts.unidentified += 1;
        }
        Ok(())
    }

    fn table(&mut self, reader: impl Read, columns: Columns, selection: &Selection) -> Result<(), String> {
        selection.check_table()?;
        let mut rows = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(reader);
        let mut record = csv::ByteRecord::new();
        while rows.read_byte_record(&mut record).map_err(|error| error.to_string())? {
            record.trim();
            // The first line was read before.
            let number = record.position().map_or(1, csv::Position::line) + 1;
            match columns.read(&record) {
                Ok(row) => self.row(&row, selection)?,
                Err(broken) => self.counts.break_at(number, broken),
            }
        }
        Ok(())
    }

    /// Adds the calls of a row, spread evenly over its seconds.
    fn row(&mut self, row: &Row<'_>, selection: &Selection) -> Result<(), String> {
        self.counts.lines += 1;
        let caller = Some(row.caller).filter(|caller| !caller.is_empty());
        let Some(caller) = selection.caller(caller, caller, &mut self.numbers) else {
            self.counts.unidentified += 1;
            return Ok(());
        };
        self.counts.is_spread |= row.calls > 1 && row.seconds > 1;
        self.in_order(row.at);
        for call in 0..row.calls {
            let after = u64::from(call) * u64::from(row.seconds) / u64::from(row.calls);
            self.call(row.at.saturating_add_unsigned(after), row.zone, caller)?;
        }
        self.spent.extend(row.spent);
        Ok(())
    }

    fn call(&mut self, at: i64, zone: Offset, caller: u32) -> Result<(), String> {
        self.zone.get_or_insert(zone);
        self.calls.push((at, caller, u32::try_from(self.spent.len()).unwrap_or(u32::MAX)));
        if self.calls.len() as u64 > MOST_CALLS {
            return Err(format!(
                "it has more than {MOST_CALLS} calls; select some of them with `--path`, or simulate a part of the file"
            ));
        }
        Ok(())
    }

    /// Counts the line if its time is earlier than that of a line before it.
    fn in_order(&mut self, at: i64) {
        if self.calls.is_empty() {
            self.latest = at;
        } else if at < self.latest {
            self.counts.backwards += 1;
            self.counts.largest_step = self.counts.largest_step.max(self.latest - at);
        }
        self.latest = self.latest.max(at);
    }

    /// Removes calls that are more than a year away from the middle call, because one line with a wrong year would make the
    /// traffic years long. Returns the names of the remaining callers. The calls must be sorted by time.
    fn within_a_year(&mut self) -> Vec<Caller> {
        let middle = self.calls[self.calls.len() / 2].0;
        let all = self.calls.len();
        self.calls.retain(|(at, ..)| at.abs_diff(middle) < YEAR);
        self.counts.other_years = all - self.calls.len();
        let names = std::mem::take(&mut self.numbers).into_names();
        if self.counts.other_years == 0 {
            return names;
        }
        for (_, caller, _) in &mut self.calls {
            *caller = self.numbers.number(&names[index((*caller).into())], <[u8]>::to_vec);
        }
        std::mem::take(&mut self.numbers).into_names()
    }

    fn into_traffic(mut self, name: &str, selection: &Selection) -> Result<Traffic, String> {
        let (Some(zone), false) = (self.zone, self.calls.is_empty()) else {
            return Err(self.counts.without_calls());
        };
        // The sort is stable, so the calls of one second stay in the order of their lines.
        self.calls.sort_by_key(|(at, ..)| *at);
        let callers = self.within_a_year();
        let (first, last) = (self.calls[0].0, self.calls[self.calls.len() - 1].0);
        let since = |at: i64| at.abs_diff(first).saturating_mul(SECOND);
        let length = since(last) + SECOND; // the last second is a part of the log
        let calls: Vec<Call> =
            self.calls.iter().map(|(at, caller, _)| Call { at: since(*at), caller: *caller }).collect();
        let spent = self.calls.iter().filter_map(|(.., row)| self.spent.get(index((*row).into())).copied());
        let spent = spent.collect();
        let noun = match selection.by {
            By::Global => "",
            By::Address | By::User if self.counts.is_table => "caller",
            By::Address => "address",
            By::User => "user",
        };
        let who = match (noun, callers.len()) {
            ("", _) => "one limit for all".to_owned(),
            (noun, 1) => format!("1 {noun}"),
            ("address", all) => format!("{all} addresses"),
            (noun, all) => format!("{all} {noun}s"),
        };
        let selected = selection.words();
        let words = format!("{} calls{selected} in {} of {name}, {who}", calls.len(), time::show(length));
        let start = Timestamp::from_second(first).map_err(|error| error.to_string())?;
        let notes = self.counts.notes();
        Ok(Traffic { words, calls, spent, callers, length, origin: Origin::Log { start, zone }, notes })
    }
}

#[cfg(test)]
mod tests;
