//! Durations as people write them: `"500ms"`, `"1h30m"`, `"7d"`.

/// Unit names and their length in milliseconds, longest first, as they have to stand in a duration.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// The milliseconds of a duration, `u64::MAX` for more; or what is wrong with it, as the end of "`..` is not a
/// duration: ".
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let mut rest = text.trim();
    let mut total: u64 = 0;
    let mut units = UNITS.iter();
    if rest.is_empty() {
        return Err("it is empty; write a number with a unit, as in `90s`".to_owned());
    }
    while !rest.is_empty() {
        let (number, unit, tail) = split(rest);
        rest = tail;
        let amount = amount(number).ok_or_else(|| not_a_number(number, unit))?;
        let Some((_, length)) = units.find(|(name, _)| *name == unit) else {
            return Err(not_a_unit(number, unit));
        };
        total = total.saturating_add(amount.saturating_mul(*length));
    }
    Ok(total)
}

/// A duration in milliseconds as people write it.
pub(crate) fn show(mut ms: u64) -> String {
    let amounts = UNITS.map(|(unit, length)| {
        let amount = ms / length;
        ms %= length;
        if amount == 0 { String::new() } else { format!("{amount}{unit}") }
    });
    amounts.concat()
}

/// A number, its unit, and what follows.
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
            "`{number}{unit}` stands after a smaller or equal unit; write each unit once, the largest first"
        );
    }
    let fix = match unit {
        "" => return format!("`{number}` has no unit; write `{number}s` for seconds"),
        "sec" | "secs" | "second" | "seconds" => "s",
        "min" | "mins" | "minute" | "minutes" => "m",
        "hr" | "hrs" | "hour" | "hours" => "h",
        "day" | "days" => "d",
        "milli" | "millis" | "millisecond" | "milliseconds" => "ms",
        _ => return format!("the unit `{unit}` is none of `ms`, `s`, `m`, `h`, `d`"),
    };
    format!("write `{number}{fix}` instead of `{number}{unit}`")
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
    fn what_is_shown_can_be_read() {
        for ms in [1, 999, 1000, 60_000, 5_400_000, 93_784_005, 366 * 86_400_000] {
            assert_eq!(parse(&show(ms)), Ok(ms), "{}", show(ms));
        }
        assert_eq!(show(5_400_000), "1h30m");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, wrong) in [
            ("1h30", "`30` has no unit; write `30s` for seconds"),
            ("1.5s", "it has a fraction; write a smaller unit, as `1500ms` for one and a half seconds"),
            ("10 seconds", "write `10s` instead of `10seconds`"),
            ("3w", "the unit `w` is none of `ms`, `s`, `m`, `h`, `d`"),
            ("1m1h", "`1h` stands after a smaller or equal unit; write each unit once, the largest first"),
            ("1s1s", "`1s` stands after a smaller or equal unit; write each unit once, the largest first"),
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
