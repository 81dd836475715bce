//! Rates of traffic as text: `120/min`, `5/s`, `10000/day`, `40/15m`.

use super::time::{self, DAY, MINUTE};
use std::str::FromStr;

/// A number of calls in a length of time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rate {
    pub(crate) text: String,
    pub(crate) calls: u64,
    /// The length of time in microseconds, at least 1 ms.
    pub(crate) per: u64,
}

/// The maximum number of calls of a rate.
const MOST: u64 = 1_000_000_000;

impl Rate {
    /// The calls in a length of time in microseconds, rounded up.
    pub(crate) fn calls_in(&self, length: u64) -> u64 {
        let calls = u128::from(self.calls) * u128::from(length);
        u64::try_from(calls.div_ceil(u128::from(self.per))).unwrap_or(u64::MAX)
    }

    /// The time of a call in microseconds, if calls are evenly spaced. The first call is at 0.
    pub(crate) fn time_of(&self, call: u64) -> u64 {
        let time = u128::from(call) * u128::from(self.per) / u128::from(self.calls);
        u64::try_from(time).unwrap_or(u64::MAX)
    }
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (calls, per) = text
            .split_once('/')
            .ok_or_else(|| format!("`{text}` is not a rate; write calls per time, as in `120/min`"))?;
        let calls = calls.parse().ok().filter(|calls| (1..=MOST).contains(calls)).ok_or_else(|| {
            format!("`{calls}` is not a number of calls; expected a whole number from 1 to {MOST}")
        })?;
        let per = match per {
            "min" => MINUTE,
            "day" => DAY,
            length if length.starts_with(|first: char| first.is_ascii_digit()) => time::read(length)?,
            unit => time::read(&format!("1{unit}"))?,
        };
        Ok(Self { text: text.to_owned(), calls, per })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::time::{HOUR, SECOND};

    #[test]
    fn rates_are_read() {
        for (text, calls, per) in [
            ("120/min", 120, MINUTE),
            ("5/s", 5, SECOND),
            ("10000/day", 10_000, DAY),
            ("7/h", 7, HOUR),
            ("40/15m", 40, 15 * MINUTE),
        ] {
            assert_eq!(text.parse(), Ok(Rate { text: text.to_owned(), calls, per }));
        }
        for (text, says) in
            [("120", "120/min"), ("0/s", "from 1"), ("-1/s", "from 1"), ("5/week", "a week as `7d`")]
        {
            let error = text.parse::<Rate>().unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn evenly_spaced_calls_do_not_drift() {
        let rate: Rate = "7/s".parse().unwrap();
        assert_eq!(rate.time_of(7_000_000), 1_000_000 * SECOND);
        assert_eq!(rate.calls_in(SECOND), 7);
        assert_eq!(rate.calls_in(SECOND + 1), 8);
    }
}
