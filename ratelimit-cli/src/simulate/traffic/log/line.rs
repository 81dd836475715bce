//! A line of an access log in the combined or the common format of web servers.
//!
//! ```text
//! 203.0.113.7 - ann [22/Nov/2026:13:55:36 +0100] "GET /search?q=tea HTTP/1.1" 200 2326 "-" "curl/8.5"
//! ```

use jiff::fmt::strtime;
use jiff::tz::Offset;

/// The parts of a line that a simulation uses.
#[derive(Debug, PartialEq)]
pub(super) struct Line<'l> {
    pub(super) address: &'l [u8],
    /// `None` if the server has written `-`.
    pub(super) user: Option<&'l [u8]>,
    /// The time in seconds since 1970, in UTC.
    pub(super) at: i64,
    /// The time zone of the line.
    pub(super) zone: Offset,
    /// The path of the request with its query. Empty if the request is not HTTP.
    pub(super) path: &'l [u8],
    /// The three digits of the status.
    pub(super) status: [u8; 3],
}

/// The reason why a line cannot be read, as the end of a sentence.
pub(super) type Broken = &'static str;

pub(super) const TOO_LONG: Broken = "it is longer than 64 KiB";
const NO_ADDRESS: Broken = "it does not begin with an address, `-` and a user";
const NO_TIME: Broken = "it has no time such as `[22/Nov/2026:13:55:36 +0100]`";
const NO_REQUEST: Broken = "it has no request in quotes after the time";
const NO_STATUS: Broken = "it has no status of three digits after the request";

/// Reads a line without its end.
pub(super) fn parse(line: &[u8]) -> Result<Line<'_>, Broken> {
    let (address, rest) = split(line, b" ").ok_or(NO_ADDRESS)?;
    let (_, rest) = split(rest, b" ").ok_or(NO_ADDRESS)?;
    // A user may contain spaces and brackets. A bracket that belongs to the user is not followed by a date.
    let (user, rest, (at, zone)) = until_time(rest).ok_or(NO_TIME)?;
    if address.is_empty() || !address.iter().all(u8::is_ascii_graphic) || user.is_empty() {
        return Err(NO_ADDRESS);
    }
    let request = rest.strip_prefix(b" \"").ok_or(NO_REQUEST)?;
    let end = closing_quote(request).ok_or(NO_REQUEST)?;
    let (request, rest) = request.split_at(end);
    let status: [u8; 3] = *rest.get(2..5).and_then(<[u8]>::first_chunk).ok_or(NO_STATUS)?;
    let ends = rest.get(5).is_none_or(u8::is_ascii_whitespace);
    if rest[1] != b' ' || !status.iter().all(u8::is_ascii_digit) || !ends {
        return Err(NO_STATUS);
    }
    let path = request.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    Ok(Line { address, user: (user != b"-").then_some(user), at, zone, path, status })
}

fn split<'l>(line: &'l [u8], at: &[u8]) -> Option<(&'l [u8], &'l [u8])> {
    let position = line.windows(at.len()).position(|window| window == at)?;
    Some((&line[..position], &line[position + at.len()..]))
}

/// Seconds since 1970, and the time zone.
type Moment = (i64, Offset);

/// Splits a text into the user, the rest after the time, and the time. `None` if the text contains no time.
fn until_time(text: &[u8]) -> Option<(&[u8], &[u8], Moment)> {
    const LENGTH: usize = "22/Nov/2026:13:55:36 +0100".len();
    let mut from = 0;
    loop {
        let (before, time) = split(text.get(from..)?, b" [")?;
        if time.get(LENGTH) == Some(&b']')
            && let Some(moment) = moment(&time[..LENGTH])
        {
            return Some((&text[..from + before.len()], &time[LENGTH + 1..], moment));
        }
        from += before.len() + 1;
    }
}

/// Reads a time such as `22/Nov/2026:13:55:36 +0100`. `None` for any other text.
fn moment(text: &[u8]) -> Option<Moment> {
    let time = strtime::parse("%d/%b/%Y:%H:%M:%S %z", text).ok()?;
    let at = time.to_timestamp().ok()?.as_second();
    (at >= 0).then_some((at, time.offset()?))
}

/// The position of the quote that ends a quoted text. `None` if no quote ends it. A backslash escapes the next byte.
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
            zone: Offset::from_seconds(3600).unwrap(),
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
            (GOOD, "", NO_ADDRESS),
            (GOOD, "203.0.113.7 -", NO_ADDRESS),
            ("203.0.113.7", "", NO_ADDRESS),
            ("203.0.113.7", "\u{7f}", NO_ADDRESS),
            ("22/Nov", "31/Nov", NO_TIME),
            ("22/Nov", "22/Nvo", NO_TIME),
            (" +0100", "", NO_TIME),
            ("+0100", "x0100", NO_TIME),
            ("]", "", NO_TIME),
            ("HTTP/1.1\" 200", "HTTP/1.1 200", NO_STATUS),
            ("\"GET", "GET", NO_REQUEST),
            (" 200", " 2000", NO_STATUS),
            (" 200", " ok", NO_STATUS),
            (" 200 2326 \"-\" \"curl/8.5\"", "", NO_STATUS),
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
