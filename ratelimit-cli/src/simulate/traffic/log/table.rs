//! A table of calls as CSV, such as an export of metrics: who has called when, and how often.
//!
//! ```text
//! time,caller,calls,seconds
//! 2026-11-22T13:55:00Z,203.0.113.7,40,60
//! ```

use super::line::Broken;
use crate::simulate::calendar::Civil;

/// The most calls of a row, and the most seconds in which they came.
const MOST: u32 = 10_000_000;

/// The places of the columns that a simulation uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    time: usize,
    caller: usize,
    calls: Option<usize>,
    seconds: Option<usize>,
}

/// Calls of one caller.
#[derive(Debug, PartialEq)]
pub(super) struct Row {
    pub(super) caller: Vec<u8>,
    /// The first call, in seconds since 1970 in UTC.
    pub(super) at: i64,
    /// The seconds that the time zone of the row is ahead of UTC.
    pub(super) ahead: i64,
    pub(super) calls: u32,
    /// The calls are spread evenly over these seconds.
    pub(super) seconds: u32,
}

impl Columns {
    /// The columns that the first line of a table names. `None` if it is no such line.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        let titles = fields(head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head));
        let place = |name: &str| titles.iter().position(|title| title.eq_ignore_ascii_case(name.as_bytes()));
        let (time, caller) = (place("time")?, place("caller")?);
        Some(Self { time, caller, calls: place("calls"), seconds: place("seconds") })
    }

    pub(super) fn read(self, line: &[u8]) -> Result<Row, Broken> {
        let mut fields = fields(line);
        let number = |place: Option<usize>| {
            let Some(place) = place else { return Ok(1) };
            let text = str::from_utf8(fields.get(place).ok_or(Broken::NoColumn)?);
            let number = text.ok().and_then(|text| text.parse().ok());
            number.filter(|number| (1..=MOST).contains(number)).ok_or(Broken::NoNumber)
        };
        let (calls, seconds) = (number(self.calls)?, number(self.seconds)?);
        let time = fields.get(self.time).ok_or(Broken::NoColumn)?;
        let (at, ahead) = moment(time).ok_or(Broken::NoMoment)?;
        let caller = fields.get_mut(self.caller).map(std::mem::take).ok_or(Broken::NoColumn)?;
        Ok(Row { caller, at, ahead, calls, seconds })
    }
}

/// The fields of a line. A field in quotes may contain commas, and quotes twice.
fn fields(line: &[u8]) -> Vec<Vec<u8>> {
    let (mut fields, mut field, mut is_quoted) = (Vec::new(), Vec::new(), false);
    let mut bytes = line.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' if is_quoted && bytes.next_if_eq(&b'"').is_some() => field.push(b'"'),
            b'"' if is_quoted || field.is_empty() => is_quoted = !is_quoted,
            b',' if !is_quoted => fields.push(std::mem::take(&mut field)),
            byte => field.push(byte),
        }
    }
    fields.push(field);
    for field in &mut fields {
        *field = field.trim_ascii().to_vec();
    }
    fields
}

/// Reads `2026-11-22T13:55:36+01:00`, or seconds or milliseconds since 1970: the seconds, and how far the time zone is ahead.
fn moment(text: &[u8]) -> Option<(i64, i64)> {
    const FIRST_MS: i64 = 100_000_000_000;
    let text = str::from_utf8(text).ok()?;
    if let Ok(number) = text.split('.').next()?.parse::<i64>() {
        let seconds = if number >= FIRST_MS { number / 1000 } else { number };
        return (0..=Civil::LAST).contains(&seconds).then_some((seconds, 0));
    }
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let [year, month, day] = numbers(date.split('-'))?;
    let (time, ahead) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => (&time[..at], zone(&time[at..])?),
        None => (time, 0),
    };
    let [hour, minute, second] = numbers(time.split('.').next()?.split(':'))?;
    let civil = Civil { year, month, day, hour, minute, second };
    Some((civil.seconds()? - ahead, ahead))
}

/// Reads `Z` or `+01:00`.
fn zone(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let [hours, minutes] = numbers(text[1..].split(':'))?;
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// Exactly `N` numbers of at most four digits.
fn numbers<'t, const N: usize>(mut texts: impl Iterator<Item = &'t str>) -> Option<[i64; N]> {
    let mut numbers = [0; N];
    for number in &mut numbers {
        let text = texts.next()?;
        let is_number = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        *number = if is_number { text.parse().ok()? } else { return None };
    }
    texts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_names_the_columns() {
        let columns = |calls, seconds| Some(Columns { time: 1, caller: 0, calls, seconds });
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
            assert_eq!(moment(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn rows_are_read_or_say_what_is_wrong() {
        let columns = Columns::of(b"time,caller,calls,seconds").unwrap();
        let row = columns.read(b"5,\"Smith, \"\"Ann\"\"\",40,60").unwrap();
        assert_eq!(row, Row { caller: b"Smith, \"Ann\"".to_vec(), at: 5, ahead: 0, calls: 40, seconds: 60 });
        for (line, broken) in [
            (&b"5,ann,40"[..], Broken::NoColumn),
            (b"5,ann,0,60", Broken::NoNumber),
            (b"5,ann,40,-1", Broken::NoNumber),
            (b"5,ann,99999999999,1", Broken::NoNumber),
            (b"now,ann,40,60", Broken::NoMoment),
            (b"\xff,\xff,\xff,\xff", Broken::NoNumber),
        ] {
            assert_eq!(columns.read(line), Err(broken));
        }
    }
}
