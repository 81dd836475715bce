//! Lengths of time in microseconds: reading, writing, and round steps for axes.

use ratelimit::Limit;

pub(crate) const MS: u64 = 1000;
pub(crate) const SECOND: u64 = 1000 * MS;
pub(crate) const MINUTE: u64 = 60 * SECOND;
pub(crate) const HOUR: u64 = 60 * MINUTE;
pub(crate) const DAY: u64 = 24 * HOUR;

/// Round lengths, for the distance of two ticks and for the time that one bar stands for.
const STEPS: [u64; 33] = [
    MS,
    2 * MS,
    5 * MS,
    10 * MS,
    20 * MS,
    50 * MS,
    100 * MS,
    200 * MS,
    500 * MS,
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
    30 * DAY,
    90 * DAY,
    366 * DAY,
];

/// More lengths that one bar may stand for, so that charts use the width of the screen.
const MORE_STEPS: [u64; 2] = [20 * SECOND, 20 * MINUTE];

/// Returns the shortest round length of which at most `most` cover the length, for the time that one bar stands for.
pub(crate) fn part(length: u64, most: u64) -> u64 {
    let fits = |part: &u64| length.div_ceil(*part) <= most.max(1);
    let round = step(length, most);
    MORE_STEPS.into_iter().find(fits).map_or(round, |part| part.min(round))
}

/// Returns the shortest round step of which at most `most` cover the length. A length that no step covers gets a step that is
/// not round.
pub(crate) fn step(length: u64, most: u64) -> u64 {
    let most = most.max(1);
    STEPS.into_iter().find(|step| length.div_ceil(*step) <= most).unwrap_or_else(|| length.div_ceil(most))
}

/// Reads a length such as `10m` or `1h30m`, from 1 ms to 366 days. The form is that of `time` in the text of a limit.
pub(crate) fn read(text: &str) -> Result<u64, String> {
    if text.contains(char::is_whitespace) {
        return Err(format!("`{text}` has a space; write a length of time as `1h30m`"));
    }
    let limit = format!("counter count=1 time={text}").parse::<Limit>();
    let limit = limit.map_err(|error| error.to_string().replace("`time`", "a length of time"))?;
    Ok(micros(limit.time()))
}

pub(crate) fn micros(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Writes a length with its two largest units, such as `1h30m`, `29.7s` or `250ms`.
pub(crate) fn show(length: u64) -> String {
    let pair = |large: u64, name: &str, small: u64, small_name: &str| {
        let (whole, rest) = (length / large, length % large / small);
        if rest == 0 { format!("{whole}{name}") } else { format!("{whole}{name}{rest}{small_name}") }
    };
    match length {
        DAY.. => pair(DAY, "d", HOUR, "h"),
        HOUR.. => pair(HOUR, "h", MINUTE, "m"),
        MINUTE.. => pair(MINUTE, "m", SECOND, "s"),
        SECOND.. if length % SECOND < 100 * MS => format!("{}s", length / SECOND),
        SECOND.. => format!("{}.{}s", length / SECOND, length % SECOND / (100 * MS)),
        0 => "0".to_owned(),
        _ if length < MS => format!("{length}us"),
        _ => format!("{}ms", length / MS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_as_in_a_limit() {
        assert_eq!(["10m", "1h30m", "250ms"].map(read), [Ok(10 * MINUTE), Ok(90 * MINUTE), Ok(250 * MS)]);
        for (text, says) in [
            ("10", "has no unit"),
            ("0s", "a length of time must be at least 1 ms"),
            ("1m burst=2", "space"),
            ("400d", "366"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn lengths_are_written_with_two_units() {
        let shown =
            [0, 20, 250 * MS, 29_700 * MS, 30 * SECOND, 90 * SECOND, 90 * MINUTE, 25 * HOUR].map(show);
        assert_eq!(shown, ["0", "20us", "250ms", "29.7s", "30s", "1m30s", "1h30m", "1d1h"]);
    }

    #[test]
    fn steps_are_round_and_cover_the_length() {
        assert_eq!(step(10 * MINUTE, 70), 10 * SECOND);
        assert_eq!(step(DAY, 70), 30 * MINUTE);
        assert_eq!(step(1, 70), MS);
        assert_eq!(
            [20 * MINUTE, DAY, DAY, HOUR].map(|length| part(length, 72)),
            [20 * SECOND, 20 * MINUTE, 20 * MINUTE, MINUTE]
        );
        assert_eq!((part(DAY, 192), part(7 * DAY, 72)), (10 * MINUTE, 3 * HOUR));
        for length in [1, 7 * MS, 11 * SECOND, 3 * DAY, 3000 * DAY] {
            assert!(length.div_ceil(step(length, 9)) <= 9, "{length}");
        }
    }
}
