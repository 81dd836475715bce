//! Limits and their changes as text, for configurations and overrides: `token_bucket count=20 time=1h burst=5`, `count=50`.

mod error;
mod number;

use error::EXAMPLE;
pub use error::ParseLimitError;

use super::rules::Number;
use super::rules::numbers::Numbers;
use super::{Algorithm, Limit, LimitChange};
use std::fmt;
use std::str::FromStr;

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Number::ALL.into_iter().filter(|number| !number.is_plain(&self.numbers));
        write!(f, "{} {}", self.algorithm().as_str(), words(&self.numbers, named))
    }
}

impl fmt::Display for LimitChange {
    /// Writes the text that [`str::parse`] reads: `count=50 time=1m`, or a whole limit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.whole().map(ToString::to_string);
        let numbers = Some(words(&self.numbers, self.given.iter())).filter(|words| !words.is_empty());
        f.write_str(&whole.into_iter().chain(numbers).collect::<Vec<_>>().join(" "))
    }
}

/// Numbers with their names: `count=50 time=1m`.
fn words(numbers: &Numbers, named: impl Iterator<Item = Number>) -> String {
    let words = named.map(|number| format!("{}={}", number.as_str(), number.show(numbers)));
    words.collect::<Vec<_>>().join(" ")
}

impl FromStr for Limit {
    type Err = ParseLimitError;

    /// Reads the text that [`Display`](fmt::Display) writes. Times are whole numbers with the units `ms`, `s`, `m`, `h` and `d`,
    /// such as `90s` or `1h30m`. The `time` of a counter may also be `hour`, `day`, `week` or `month`. All numbers but `count` and
    /// `time` may be left out.
    fn from_str(text: &str) -> Result<Self, ParseLimitError> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let Some(algorithm) = Algorithm::named(name) else {
            let names = Algorithm::ALL.map(Algorithm::as_str).join(", ");
            let message = format!("unknown algorithm `{name}`; expected one of {names}: {EXAMPLE}");
            return Err(ParseLimitError::new("unknown algorithm", message));
        };
        let change = LimitChange::of(words)?;
        if !change.given.has(Number::Count) || !change.given.has(Number::Time) {
            let message = format!("a limit needs a `count` and a `time`: {EXAMPLE}");
            return Err(ParseLimitError::new("`count` or `time` is missing", message));
        }
        Ok(change.applied_to(Numbers::new(algorithm, 1, 1))?)
    }
}

/// The text of no limit.
pub(crate) const UNLIMITED: &str = "unlimited";

impl Limit {
    /// Reads a limit as [`from_str`](Self::from_str) does, or the text `unlimited`, which is `None`. The argument
    /// `limit` of the attribute takes such a value.
    ///
    /// ```
    /// use ratelimit_limit::Limit;
    /// use std::time::Duration;
    ///
    /// assert_eq!(Limit::parse_optional("unlimited"), Ok(None));
    /// assert_eq!(
    ///     Limit::parse_optional("counter count=5 time=1m"),
    ///     Ok(Some(Limit::counter(5, Duration::from_secs(60))))
    /// );
    /// assert!(Limit::parse_optional("").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is neither.
    pub fn parse_optional(text: &str) -> Result<Option<Self>, ParseLimitError> {
        if text.trim() == UNLIMITED { Ok(None) } else { text.parse().map(Some) }
    }
}

impl FromStr for LimitChange {
    type Err = ParseLimitError;

    /// Reads some numbers, as in `count=50 time=1m`, or a whole [`Limit`], which begins with the name of its algorithm.
    fn from_str(text: &str) -> Result<Self, ParseLimitError> {
        let Some(first) = text.split_whitespace().next() else {
            return Err(ParseLimitError::new(
                "it is empty",
                "expected a change such as `count=50`, or a limit",
            ));
        };
        if !first.contains('=') {
            return text.parse::<Limit>().map(Self::from);
        }
        Ok(Self::of(text.split_whitespace())?.checked()?)
    }
}

impl LimitChange {
    fn of<'t>(words: impl Iterator<Item = &'t str>) -> Result<Self, ParseLimitError> {
        let mut change = Self::new();
        for word in words {
            change.read(word)?;
        }
        Ok(change)
    }

    fn read(&mut self, word: &str) -> Result<(), ParseLimitError> {
        let (name, value) = word.split_once('=').ok_or_else(|| ParseLimitError::unknown_field(word))?;
        let number = Number::named(name).ok_or_else(|| ParseLimitError::unknown_field(word))?;
        number.read(value, &mut self.numbers)?;
        if self.given.has(number) {
            return Err(ParseLimitError::new("a field is given twice", format!("`{word}` is given twice")));
        }
        self.given = self.given.with(number);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Calendar, Refill};
    use std::time::Duration;

    #[test]
    fn what_is_written_is_read() {
        let (second, week) = (Duration::from_secs(1), Duration::from_secs(7 * 86_400));
        for (limit, text) in [
            (Limit::counter(5, second), "counter count=5 time=1s"),
            (Limit::counter(5, second * 90).wait(second / 2), "counter count=5 time=90s wait=500ms"),
            (
                Limit::token_bucket(20, second * 3600).burst(5).borrow(2).refill(Refill::Interval),
                "token_bucket count=20 time=1h burst=5 refill=interval borrow=2",
            ),
            (Limit::leaky_bucket(7, second).burst(9), "leaky_bucket count=7 time=1s burst=9"),
            (Limit::leaky_bucket(7, second).wait(second), "leaky_bucket count=7 time=1s wait=1s"),
            (Limit::sliding_window(7, week), "sliding_window count=7 time=7d"),
            (Limit::calendar(5, Calendar::Day), "counter count=5 time=day"),
            (Limit::calendar(5, Calendar::Month).zone("-03:30"), "counter count=5 time=month zone=-03:30"),
            (Limit::calendar(70, Calendar::Hour).lease(9), "counter count=70 time=hour lease=9"),
            (Limit::try_sliding_log(0, second).unwrap(), "sliding_log count=0 time=1s"),
            (Limit::concurrency(3, second * 60), "concurrency count=3 time=1m"),
            (Limit::counter(70, second).lease(9), "counter count=70 time=1s lease=9"),
            (
                Limit::counter(5, second * 60).block(&[second * 60, second * 600, second * 3600]),
                "counter count=5 time=1m block=1m,10m,1h",
            ),
            (Limit::token_bucket(70, second).lease_auto(), "token_bucket count=70 time=1s lease=auto"),
        ] {
            assert_eq!(limit.to_string(), text);
            assert_eq!(text.parse(), Ok(limit));
        }
        assert_eq!("counter count=5 time=1h30m".parse(), Ok(Limit::counter(5, second * 5400)));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, says) in [
            ("", "unknown algorithm ``"),
            ("fixed count=1 time=1s", "unknown algorithm `fixed`"),
            ("counter count=1", "needs a `count` and a `time`"),
            ("counter count=x time=1s", "`count=x` must be a whole number"),
            ("counter count=4294967296 time=1s", "`count=4294967296` must be at most 4294967295"),
            ("counter count=9 time=1s lease=99999999999", "`lease=99999999999` must be at most 4294967295"),
            ("token_bucket count=40000000 time=1s", "count in larger units, such as thousands"),
            ("counter count=1 count=2 time=1s", "`count=2` is given twice"),
            ("counter count=1 time=1", "`1` is not a duration: `1` has no unit; write `1s`"),
            ("counter count=1 time=1m1h", "`1m1h` is not a duration: `1h` comes after"),
            ("counter count=1 time=", "`` is not a duration: it is empty"),
            ("counter count=1 time=99999999999999999d", "`time` must be at most 366 days"),
            ("counter limit=1 time=1s", "unknown field `limit=1`; expected one of `count`"),
            ("token_bucket count=1 time=1s refill=slow", "`refill=slow` must be `greedy` or `interval`"),
            ("counter count=9 time=1s lease=some", "`lease=some` must be a whole number or `auto`"),
            ("sliding_log count=9 time=1s lease=auto", "`lease` needs a counter or a token bucket"),
            ("counter count=1 time=1s burst=2", "`burst` needs a bucket"),
            ("token_bucket count=1 time=day", "only a `counter` has windows that end with the calendar"),
            ("counter count=1 time=day wait=1s", "`wait` has no effect with a window of the calendar"),
            ("counter count=1 time=1d zone=+01:00", "`zone` needs a window of the calendar"),
            ("counter count=1 time=day zone=CET", "`zone=CET` must be an offset from UTC, such as `+01:00`"),
            ("counter count=1 time=year", "`year` is not a duration"),
            ("sliding_log count=9 time=1s block=1m", "`block` needs a counter, a bucket or a sliding window"),
            ("counter count=9 time=1s block=1m lease=2", "`block` and `lease` exclude each other"),
            (
                "counter count=9 time=1s block=1m,30s",
                "must be longer than the one before it, as in `1m`, `10m`, `1h`",
            ),
            ("counter count=9 time=1s block=500ms", "a whole number of seconds from 1 s to 366 days"),
            ("counter count=9 time=1s block=1s,2s,3s,4s,5s", "must have at most 4 steps"),
            ("counter count=9 time=1s block=1m,", "`` is not a duration: it is empty"),
            ("leaky_bucket count=1 time=1s burst=2 wait=1s", "that `wait` bounds"),
        ] {
            let error = text.parse::<Limit>().unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
