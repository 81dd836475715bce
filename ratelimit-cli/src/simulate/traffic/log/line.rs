//! A line of an access log in the combined or the common format of web servers.
//!
//! ```text
//! 203.0.113.7 - ann [22/Nov/2026:13:55:36 +0100] "GET /search?q=tea HTTP/1.1" 200 2326 "-" "curl/8.5"
//! ```

use crate::simulate::calendar::{Civil, MONTHS};
use std::fmt;

/// The parts of a line that a simulation uses.
#[derive(Debug, PartialEq)]
pub(crate) struct Line<'l> {
    pub(crate) address: &'l [u8],
    /// `None` if the server has written `-`.
    pub(crate) user: Option<&'l [u8]>,
    /// Seconds since 1970, in UTC.
    pub(crate) at: i64,
    /// The seconds that the time zone of the line is ahead of UTC.
    pub(crate) ahead: i64,
    /// The path of the request with its query. Empty if the request is not HTTP.
    pub(crate) path: &'l [u8],
    /// Three digits.
    pub(crate) status: [u8; 3],
}

/// Why a line cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    TooLong,
    NoAddress,
    NoTime,
    NoRequest,
    NoStatus,
    /// Of a table.
    NoColumn,
    NoMoment,
    NoNumber,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "it is longer than 64 KiB",
            Self::NoAddress => "it does not begin with an address, `-` and a user",
            Self::NoTime => "it has no time such as `[22/Nov/2026:13:55:36 +0100]`",
            Self::NoRequest => "it has no request in quotes after the time",
            Self::NoStatus => "it has no status of three digits after the request",
            Self::NoColumn => "it has fewer columns than the first line",
            Self::NoMoment => "its `time` is no time such as `2026-11-22T13:55:36Z`, or seconds since 1970",
            Self::NoNumber => "its `calls` and `seconds` must be whole numbers from 1 to 10000000",
        })
    }
}

/// Reads a line without its end.
pub(crate) fn parse(line: &[u8]) -> Result<Line<'_>, Broken> {
    let (address, rest) = split(line, b" ").ok_or(Broken::NoAddress)?;
    let (_, rest) = split(rest, b" ").ok_or(Broken::NoAddress)?;
    // A user may contain spaces and brackets. A bracket within the user has no date after it.
    let (user, rest, (at, ahead)) = until_time(rest)?;
    if address.is_empty() || !address.iter().all(u8::is_ascii_graphic) || user.is_empty() {
        return Err(Broken::NoAddress);
    }
    let request = rest.strip_prefix(b" \"").ok_or(Broken::NoRequest)?;
    let end = closing_quote(request).ok_or(Broken::NoRequest)?;
    let (request, rest) = request.split_at(end);
    let status: [u8; 3] = *rest.get(2..5).and_then(<[u8]>::first_chunk).ok_or(Broken::NoStatus)?;
    let ends = rest.get(5).is_none_or(u8::is_ascii_whitespace);
    if rest[1] != b' ' || !status.iter().all(u8::is_ascii_digit) || !ends {
        return Err(Broken::NoStatus);
    }
    let path = request.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    Ok(Line { address, user: (user != b"-").then_some(user), at, ahead, path, status })
}

fn split<'l>(line: &'l [u8], at: &[u8]) -> Option<(&'l [u8], &'l [u8])> {
    let position = line.windows(at.len()).position(|window| window == at)?;
    Some((&line[..position], &line[position + at.len()..]))
}

/// Seconds since 1970, and the seconds that the time zone is ahead of UTC.
type Moment = (i64, i64);

/// The user, the rest after the time, and the time.
fn until_time(text: &[u8]) -> Result<(&[u8], &[u8], Moment), Broken> {
    const LENGTH: usize = "22/Nov/2026:13:55:36 +0100".len();
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| split(rest, b" [")) {
        let (user, time) = (&text[..from + found.0.len()], found.1);
        if time.get(LENGTH) == Some(&b']')
            && let Some(moment) = moment(&time[..LENGTH])
        {
            return Ok((user, &time[LENGTH + 1..], moment));
        }
        from += found.0.len() + 1;
    }
    Err(Broken::NoTime)
}

/// Reads `22/Nov/2026:13:55:36 +0100`.
fn moment(text: &[u8]) -> Option<Moment> {
    let number = |from: usize, to: usize| {
        text.get(from..to)?.iter().try_fold(0_i64, |number, digit| {
            digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
        })
    };
    let separators = [(2, b'/'), (6, b'/'), (11, b':'), (14, b':'), (17, b':'), (20, b' ')];
    if !separators.iter().all(|(at, separator)| text.get(*at) == Some(separator)) {
        return None;
    }
    let name = text.get(3..6)?;
    let month = (1..).zip(MONTHS).find(|(_, month)| month.as_bytes() == name)?.0;
    let civil = Civil {
        year: number(7, 11)?,
        month,
        day: number(0, 2)?,
        hour: number(12, 14)?,
        minute: number(15, 17)?,
        second: number(18, 20)?,
    };
    let ahead = number(22, 24)? * 3600 + number(24, 26)? * 60;
    let ahead = match text.get(21)? {
        b'+' => ahead,
        b'-' => -ahead,
        _ => return None,
    };
    Some((civil.seconds()? - ahead, ahead))
}

/// The position of the quote that ends a quoted text. A backslash takes away the meaning of the next byte.
fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    text.iter().position(|byte| {
        let closes = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        closes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"203.0.113.7 - ann [22/Nov/2026:12:36:41 +0100] "GET /search?q=tea HTTP/1.1" 200 2326 "-" "curl/8.5""#;

    #[test]
    fn the_parts_of_a_line_are_read() {
        let line = parse(GOOD.as_bytes()).unwrap();
        let expected = Line {
            address: b"203.0.113.7",
            user: Some(b"ann"),
            at: 1_795_347_401,
            ahead: 3600,
            path: b"/search?q=tea",
            status: *b"200",
        };
        assert_eq!(line, expected);
    }

    #[test]
    fn unusual_lines_are_read() {
        let user = |line: &str| parse(line.as_bytes()).map(|line| line.user.map(<[u8]>::to_vec));
        for (from, to, expected) in [
            ("ann", "-", None),
            ("ann", "ann b [c] d", Some(b"ann b [c] d".to_vec())),
            (" 2326 \"-\" \"curl/8.5\"", " 2326", Some(b"ann".to_vec())),
            ("GET /search?q=tea HTTP/1.1", r#"\x16\x03 \" \\"#, Some(b"ann".to_vec())),
            ("GET /search?q=tea HTTP/1.1", "", Some(b"ann".to_vec())),
            ("203.0.113.7", "2001:db8::7", Some(b"ann".to_vec())),
        ] {
            assert_eq!(user(&GOOD.replace(from, to)), Ok(expected), "{to}");
        }
    }

    #[test]
    fn broken_lines_say_what_is_missing() {
        for (from, to, reason) in [
            (GOOD, "", Broken::NoAddress),
            (GOOD, "203.0.113.7 -", Broken::NoAddress),
            ("203.0.113.7", "", Broken::NoAddress),
            ("203.0.113.7", "\u{7f}", Broken::NoAddress),
            ("22/Nov", "31/Nov", Broken::NoTime),
            ("22/Nov", "22/Nvo", Broken::NoTime),
            (" +0100", "", Broken::NoTime),
            ("+0100", "x0100", Broken::NoTime),
            ("]", "", Broken::NoTime),
            ("HTTP/1.1\" 200", "HTTP/1.1 200", Broken::NoStatus),
            ("\"GET", "GET", Broken::NoRequest),
            (" 200", " 2000", Broken::NoStatus),
            (" 200", " ok", Broken::NoStatus),
            (" 200 2326 \"-\" \"curl/8.5\"", "", Broken::NoStatus),
        ] {
            assert_eq!(parse(GOOD.replacen(from, to, 1).as_bytes()), Err(reason), "{from} -> {to}");
        }
    }

    #[test]
    fn no_random_change_of_a_line_panics() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..100_000 {
            let mut line = GOOD.as_bytes().to_vec();
            for _ in 0..random.usize(1..5) {
                let at = random.usize(0..line.len());
                match random.u8(0..3) {
                    0 => line[at] = *random.choice(b" []\"\\-/:0z\xff").unwrap_or(&0),
                    1 => line.truncate(at.max(1)),
                    _ => line.insert(at, random.u8(..)),
                }
            }
            let _ = parse(&line);
        }
    }

    #[test]
    fn no_cut_of_a_line_panics() {
        for end in 0..GOOD.len() {
            let _ = parse(&GOOD.as_bytes()[..end]);
            let _ = parse(&GOOD.as_bytes()[end..]);
        }
    }
}
