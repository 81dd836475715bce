//! Lengths of time in microseconds: reading, writing, and round steps for axes.

use crate::length::length;

pub(crate) const MS: u64 = 1000;
pub(crate) const SECOND: u64 = 1000 * MS;
pub(crate) const MINUTE: u64 = 60 * SECOND;
pub(crate) const HOUR: u64 = 60 * MINUTE;
pub(crate) const DAY: u64 = 24 * HOUR;

/// Round lengths: in milliseconds, and in seconds up to a year.
const MILLISECONDS: [u64; 9] = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const SECONDS: [u64; 26] = [
    1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
    172_800, 604_800, 1_209_600, 2_592_000, 7_776_000, 31_622_400,
];

/// The shortest round length such that at most `most` of these lengths cover `length`. If even the longest round length is too
/// short, the result is not round.
pub(crate) fn step(length: u64, most: u64) -> u64 {
    let most = most.max(1);
    let (short, long) = (MILLISECONDS.map(|ms| ms * MS), SECONDS.map(|s| s * SECOND));
    let mut steps = short.into_iter().chain(long);
    steps.find(|step| length.div_ceil(*step) <= most).unwrap_or_else(|| length.div_ceil(most))
}

/// Reads a length as [`length`] does.
pub(crate) fn read(text: &str) -> Result<u64, String> {
    length(text).map(micros)
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
            [20 * MINUTE, DAY, DAY, HOUR].map(|length| step(length, 72)),
            [20 * SECOND, 20 * MINUTE, 20 * MINUTE, MINUTE]
        );
        assert_eq!((step(DAY, 192), step(7 * DAY, 72)), (10 * MINUTE, 3 * HOUR));
        for length in [1, 7 * MS, 11 * SECOND, 3 * DAY, 3000 * DAY] {
            assert!(length.div_ceil(step(length, 9)) <= 9, "{length}");
        }
    }
}
