//! Durations as people write them: `"500ms"`, `"1h30m"`, `"7d"`.

/// Unit names and their length in milliseconds, longest first, as they have to stand in a duration.
const UNITS: [(&str, u64); 5] = [
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1000),
    ("ms", 1),
];

/// The milliseconds of a duration, or what is wrong with it, as the end of "`..` is no duration: ".
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err("it is empty".to_owned());
    }
    let mut total: u64 = 0;
    let mut units = UNITS.iter();
    while !rest.is_empty() {
        let (number, unit, tail) = split(rest);
        rest = tail;
        let Ok(amount) = number.parse::<u64>() else {
            return Err(not_a_number(number, unit));
        };
        let Some((_, length)) = units.find(|(name, _)| *name == unit) else {
            return Err(not_a_unit(number, unit));
        };
        total = amount
            .checked_mul(*length)
            .and_then(|ms| total.checked_add(ms))
            .ok_or_else(|| "it is too long".to_owned())?;
    }
    Ok(total)
}

/// A number, its unit, and what follows.
fn split(text: &str) -> (&str, &str, &str) {
    let unit_at = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (number, rest) = text.split_at(unit_at);
    let tail_at = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    let (unit, tail) = rest.split_at(tail_at);
    (number.trim(), unit, tail)
}

fn not_a_number(number: &str, unit: &str) -> String {
    match number.split_once('.') {
        Some((whole, fraction)) if !whole.is_empty() && !fraction.is_empty() => {
            "it has a fraction; write a smaller unit, as `1500ms` for one and a half seconds".to_owned()
        }
        _ if number.is_empty() => format!("`{unit}` needs a number in front"),
        _ if number.bytes().all(|byte| byte.is_ascii_digit()) => "it is too long".to_owned(),
        _ => format!("`{number}` is not a number"),
    }
}

fn not_a_unit(number: &str, unit: &str) -> String {
    let known = UNITS.iter().any(|(name, _)| *name == unit);
    if known {
        return format!("`{number}{unit}` stands after a smaller or equal unit");
    }
    let fix = match unit {
        "" => "s",
        "sec" | "secs" | "second" | "seconds" => "s",
        "min" | "mins" | "minute" | "minutes" => "m",
        "hr" | "hrs" | "hour" | "hours" => "h",
        "day" | "days" => "d",
        "milli" | "millis" | "millisecond" | "milliseconds" => "ms",
        _ => return format!("the unit `{unit}` is none of `ms`, `s`, `m`, `h`, `d`"),
    };
    match unit {
        "" => format!("it has no unit; write `{number}{fix}` for seconds"),
        _ => format!("write `{number}{fix}` instead of `{number}{unit}`"),
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
        ] {
            assert_eq!(parse(text), Ok(ms), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, wrong) in [
            ("", "it is empty"),
            ("60", "it has no unit; write `60s` for seconds"),
            (
                "1.5s",
                "it has a fraction; write a smaller unit, as `1500ms` for one and a half seconds",
            ),
            ("10 seconds", "write `10s` instead of `10seconds`"),
            ("3w", "the unit `w` is none of `ms`, `s`, `m`, `h`, `d`"),
            ("1m1h", "`1h` stands after a smaller or equal unit"),
            ("1s1s", "`1s` stands after a smaller or equal unit"),
            ("h", "`h` needs a number in front"),
            ("-1s", "`-1` is not a number"),
            ("99999999999999999999s", "it is too long"),
            ("9999999999999999d", "it is too long"),
        ] {
            assert_eq!(parse(text), Err(wrong.to_owned()), "{text}");
        }
    }
}
