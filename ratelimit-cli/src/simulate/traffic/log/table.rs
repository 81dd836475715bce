//! A table of calls as CSV, such as an export of metrics: the time, the caller, and the number of calls.
//!
//! ```text
//! time,caller,calls,seconds
//! 2026-11-22T13:55:00Z,203.0.113.7,40,60
//! ```
//!
//! If a row is one call whose cost was settled later, it has the columns `ceiling` and `used`, and `seconds` is how long it took.

use super::line::Broken;
use crate::simulate::traffic::Spent;
use csv::ByteRecord;
use jiff::Timestamp;
use jiff::civil::Time;
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;

/// The maximum number of calls of a row, and the maximum number of its seconds.
const MOST: u32 = 10_000_000;

const NO_COLUMN: Broken = "it has fewer columns than the first line";
const NO_MOMENT: Broken = "its `time` is no time such as `2026-11-22T13:55:36Z`, or seconds since 1970";
const NO_NUMBER: Broken = "its `calls` and `seconds` must be whole numbers from 1 to 10000000";
const NO_UNITS: Broken = "its `ceiling` and `used` must be whole numbers up to 4294967295, of one call";

/// The positions of the columns that a simulation uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    time: usize,
    caller: usize,
    calls: Option<usize>,
    seconds: Option<usize>,
    /// The places of `ceiling` and `used`.
    spent: Option<[usize; 2]>,
}

/// One row: calls of one caller.
#[derive(Debug, PartialEq)]
pub(super) struct Row<'r> {
    pub(super) caller: &'r [u8],
    /// The time of the first call, in seconds since 1970 in UTC.
    pub(super) at: i64,
    /// The time zone of the row.
    pub(super) zone: Offset,
    pub(super) calls: u32,
    /// The number of seconds over which the calls are spread evenly.
    pub(super) seconds: u32,
    pub(super) spent: Option<Spent>,
}

impl Columns {
    /// Finds the columns that the first line of a table names. `None` if the line does not have these names.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let mut titles = ByteRecord::new();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line);
        reader.read_byte_record(&mut titles).ok()?;
        titles.trim();
        let place = |name: &str| titles.iter().position(|title| title.eq_ignore_ascii_case(name.as_bytes()));
        let (time, caller) = (place("time")?, place("caller")?);
        let spent = place("ceiling").zip(place("used")).map(|(ceiling, used)| [ceiling, used]);
        Some(Self { time, caller, calls: place("calls"), seconds: place("seconds"), spent })
    }

    pub(super) fn read(self, record: &ByteRecord) -> Result<Row<'_>, Broken> {
        let field = |place: usize| record.get(place).ok_or(NO_COLUMN);
        let number = |place: Option<usize>| {
            let Some(place) = place else { return Ok(1) };
            let number = str::from_utf8(field(place)?).ok().and_then(|text| text.parse().ok());
            number.filter(|number| (1..=MOST).contains(number)).ok_or(NO_NUMBER)
        };
        let (calls, seconds) = (number(self.calls)?, number(self.seconds)?);
        let units =
            |place| str::from_utf8(field(place)?).ok().and_then(|text| text.parse().ok()).ok_or(NO_UNITS);
        let spent = match self.spent {
            Some(_) if calls > 1 => return Err(NO_UNITS),
            Some([ceiling, used]) => Some(Spent { ceiling: units(ceiling)?, used: units(used)?, seconds }),
            None => None,
        };
        let (at, zone) = moment(field(self.time)?).ok_or(NO_MOMENT)?;
        Ok(Row { caller: field(self.caller)?, at, zone, calls, seconds, spent })
    }
}

/// Reads `2026-11-22T13:55:36+01:00`, or seconds or milliseconds since 1970. A time without a time zone is in UTC. `None` for any
/// other text.
fn moment(text: &[u8]) -> Option<(i64, Offset)> {
    const FIRST_MS: i64 = 100_000_000_000;
    let text = str::from_utf8(text).ok()?;
    let (at, zone) = if let Ok(number) = text.split('.').next()?.parse::<i64>() {
        let seconds = if number >= FIRST_MS { number / 1000 } else { number };
        (Timestamp::from_second(seconds).ok()?, Offset::UTC)
    } else {
        let pieces = Pieces::parse(text).ok()?;
        let zone = pieces.to_numeric_offset().unwrap_or(Offset::UTC);
        let time: Time = pieces.time()?;
        (zone.to_timestamp(pieces.date().to_datetime(time)).ok()?, zone)
    };
    (at.as_second() >= 0).then_some((at.as_second(), zone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_the_columns() {
        let columns = |calls, seconds| Some(Columns { time: 1, caller: 0, calls, seconds, spent: None });
        assert_eq!(Columns::of(b"caller,time"), columns(None, None));
        assert_eq!(Columns::of(b"\xef\xbb\xbf\"Caller\", TIME ,status,calls"), columns(Some(3), None));
        assert_eq!(Columns::of(b"caller,time,seconds,calls"), columns(Some(3), Some(2)));
        for other in [&b"time,calls"[..], b"", b"203.0.113.7 - - [22/Nov/2026:12:36:41 +0100]"] {
            assert_eq!(Columns::of(other), None);
        }
    }

    #[test]
    fn times_have_several_forms() {
        for (text, expected) in [
            ("2026-11-22T11:36:41Z", Some((1_795_347_401, 0))),
            ("2026-11-22 12:36:41.250+01:00", Some((1_795_347_401, 3600))),
            ("2026-11-22T11:36:41", Some((1_795_347_401, 0))),
            ("1795347401", Some((1_795_347_401, 0))),
            ("1795347401.75", Some((1_795_347_401, 0))),
            ("1795347401750", Some((1_795_347_401, 0))),
            ("2026-02-30T11:36:41Z", None),
            ("2026-11-22", None),
            ("2026-11-22T11:36:41+1", None),
            ("-5", None),
            ("99999999999999999", None),
            ("noon", None),
            ("", None),
        ] {
            let found = moment(text.as_bytes()).map(|(at, zone)| (at, zone.seconds()));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn rows_are_read_or_say_what_is_wrong() {
        let columns = Columns::of(b"time,caller,calls,seconds").unwrap();
        let record = |fields: &[&[u8]]| ByteRecord::from(fields.to_vec());
        let row = record(&[b"5", b"Ann", b"40", b"60"]);
        let expected = Row { caller: b"Ann", at: 5, zone: Offset::UTC, calls: 40, seconds: 60, spent: None };
        assert_eq!(columns.read(&row), Ok(expected));
        let spending = Columns::of(b"time,caller,used,ceiling,seconds").unwrap();
        let spent = Spent { ceiling: 4096, used: 300, seconds: 9 };
        assert_eq!(
            spending.read(&record(&[b"5", b"ann", b"300", b"4096", b"9"])).unwrap().spent,
            Some(spent)
        );
        assert_eq!(spending.read(&record(&[b"5", b"ann", b"-1", b"4096", b"9"])), Err(NO_UNITS));
        for (line, broken) in [
            (&b"5,ann,40"[..], NO_COLUMN),
            (b"5,ann,0,60", NO_NUMBER),
            (b"5,ann,40,-1", NO_NUMBER),
            (b"5,ann,99999999999,1", NO_NUMBER),
            (b"now,ann,40,60", NO_MOMENT),
            (b"\xff,\xff,\xff,\xff", NO_NUMBER),
        ] {
            let fields: Vec<&[u8]> = line.split(|byte| *byte == b',').collect();
            assert_eq!(columns.read(&record(&fields)), Err(broken));
        }
    }
}
