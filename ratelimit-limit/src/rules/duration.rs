//! Durations as text: `500ms`, `1h30m`, `7d`.

use super::Calendar;

/// The units and their lengths in milliseconds, in the order in which a duration must use them.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// Returns the milliseconds of a duration, at most `u64::MAX`.
///
/// # Errors
///
/// The mistake in the text, written so that it can follow "`..` is not a duration: ".
pub fn parse(text: &str) -> Result<u64, String> {
    let mut rest = text.trim();
    let mut total: u64 = 0;
    let mut units = UNITS.iter();
    if rest.is_empty() {
        return Err("it is empty; write a number with a unit, as in `90s`".to_owned());
    }
    while !rest.is_empty() {
        let (number, unit, tail) = split(rest);
        rest = tail;
        if let Some(wrong) = no_unit_of_ours(unit) {
            return Err(wrong.to_owned());
        }
        let amount = amount(number).ok_or_else(|| not_a_number(number, unit))?;
        let Some((_, length)) = units.find(|(name, _)| *name == unit) else {
            return Err(not_a_unit(number, unit));
        };
        total = total.saturating_add(amount.saturating_mul(*length));
    }
    Ok(total)
}

/// Writes a duration in the largest unit that measures it exactly: `90s`, `1h`.
pub fn show(ms: u64) -> String {
    let unit = UNITS.iter().find(|(_, length)| ms.is_multiple_of(*length));
    let (name, length) = unit.unwrap_or(&UNITS[4]);
    format!("{}{name}", ms / length)
}

/// Writes the time of a limit: its length, or the word of its calendar window.
pub fn show_time(ms: u64, calendar: Option<Calendar>) -> String {
    calendar.map_or_else(|| show(ms), |calendar| calendar.as_str().to_owned())
}

/// Returns the unit, such as `m`, for an English word such as `minutes`. `None` for any other word.
pub fn unit(word: &str) -> Option<&'static str> {
    Some(match word {
        "d" | "day" | "days" => "d",
        "h" | "hr" | "hrs" | "hour" | "hours" => "h",
        "m" | "min" | "mins" | "minute" | "minutes" => "m",
        "s" | "sec" | "secs" | "second" | "seconds" => "s",
        "ms" | "milli" | "millis" | "millisecond" | "milliseconds" => "ms",
        _ => return None,
    })
}

/// Returns what to write instead of a unit that durations do not have, such as `week` or `month`. `None` for any other word.
fn no_unit_of_ours(unit: &str) -> Option<&'static str> {
    match unit {
        "w" | "week" | "weeks" => Some("write a week as `7d`"),
        "month" | "months" => Some("months differ in length, so write days, as in `30d`"),
        "y" | "year" | "years" => Some("years differ in length, so write days, as in `365d`"),
        _ => None,
    }
}

/// Splits a text into a number, its unit, and the rest.
fn split(text: &str) -> (&str, &str, &str) {
    let unit_at = text.find(char::is_alphabetic).unwrap_or(text.len());
    let (number, rest) = text.split_at(unit_at);
    let tail_at = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    let (unit, tail) = rest.split_at(tail_at);
    (number.trim(), unit, tail)
}

fn amount(number: &str) -> Option<u64> {
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| number.parse().unwrap_or(u64::MAX))
}

fn not_a_number(number: &str, unit: &str) -> String {
    let fraction =
        number.split_once('.').is_some_and(|(whole, part)| amount(whole).and(amount(part)).is_some());
    if fraction {
        "it has a fraction; write a smaller unit, as `1500ms` for one and a half seconds".to_owned()
    } else if number.is_empty() {
        format!("`{unit}` needs a number in front, as in `1h`")
    } else if number.starts_with('-') {
        "it cannot be negative".to_owned()
    } else {
        format!("`{number}` is not a whole number")
    }
}

fn not_a_unit(number: &str, unit: &str) -> String {
    if UNITS.iter().any(|(name, _)| *name == unit) {
        return format!(
            "`{number}{unit}` comes after a smaller or equal unit; write each unit once, the largest first"
        );
    }
    match self::unit(unit) {
        _ if unit.is_empty() => format!("`{number}` has no unit; write `{number}s` for seconds"),
        Some(fix) => format!("write `{number}{fix}` instead of `{number}{unit}`"),
        None => format!("unknown unit `{unit}`; expected `ms`, `s`, `m`, `h` or `d`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        for (text, ms) in [
            ("500ms", 500),
            ("60s", 60_000),
            ("1m", 60_000),
            ("1h30m", 5_400_000),
            ("7d", 604_800_000),
            ("1d 2h 3m 4s 5ms", 93_784_005),
            ("0s", 0),
            ("99999999999999999999s", u64::MAX),
            ("9999999999999999d 1s", u64::MAX),
        ] {
            assert_eq!(parse(text), Ok(ms), "{text}");
        }
    }

    #[test]
    fn words_name_units() {
        for (words, short) in [
            ("d day days", "d"),
            ("h hr hrs hour hours", "h"),
            ("m min mins minute minutes", "m"),
            ("s sec secs second seconds", "s"),
            ("ms milli millis millisecond milliseconds", "ms"),
        ] {
            assert!(words.split(' ').all(|word| unit(word) == Some(short)), "{words}");
        }
        assert_eq!(unit("weeks"), None);
    }

    #[test]
    fn durations_are_written() {
        for ms in [1, 999, 1000, 60_000, 5_400_000, 93_784_005, 366 * 86_400_000] {
            assert_eq!(parse(&show(ms)), Ok(ms), "{}", show(ms));
        }
        assert_eq!([5_400_000, 90_000, 86_400_000].map(show), ["90m", "90s", "1d"]);
    }

    #[test]
    fn errors_say_what_to_write() {
        for (text, wrong) in [
            ("1h30", "`30` has no unit; write `30s` for seconds"),
            ("1.5s", "it has a fraction; write a smaller unit, as `1500ms` for one and a half seconds"),
            ("10 seconds", "write `10s` instead of `10seconds`"),
            ("3w", "write a week as `7d`"),
            ("1 month", "months differ in length, so write days, as in `30d`"),
            ("year", "years differ in length, so write days, as in `365d`"),
            ("3x", "unknown unit `x`; expected `ms`, `s`, `m`, `h` or `d`"),
            ("1m1h", "`1h` comes after a smaller or equal unit; write each unit once, the largest first"),
            ("1s1s", "`1s` comes after a smaller or equal unit; write each unit once, the largest first"),
            ("", "it is empty; write a number with a unit, as in `90s`"),
            (" ", "it is empty; write a number with a unit, as in `90s`"),
            ("h", "`h` needs a number in front, as in `1h`"),
            ("-1s", "it cannot be negative"),
            ("1,5s", "`1,5` is not a whole number"),
        ] {
            assert_eq!(parse(text), Err(wrong.to_owned()), "{text}");
        }
    }
}
