//! The values of numbers as text.

use super::ParseLimitError;
use crate::rules::block::Block;
use crate::rules::number::AUTO;
use crate::rules::numbers::{Lease, Numbers};
use crate::rules::{Number, duration};
use crate::{Calendar, Refill, Zone};
use std::time::Duration;

impl Number {
    /// Reads the value of this number, and puts it into `numbers`.
    pub fn read(self, value: &str, numbers: &mut Numbers) -> Result<(), ParseLimitError> {
        let units =
            || value.parse().map_err(|_| self.wrong(value, number_instead_of(value, "a whole number")));
        match self {
            Self::Count => numbers.count = units()?,
            Self::Time => {
                numbers.calendar = Calendar::named(value);
                numbers.time_ms = match numbers.calendar {
                    Some(calendar) => calendar.longest_ms(),
                    None => milliseconds(value)?,
                };
            }
            Self::Zone => {
                let expected = "an offset from UTC, such as `+01:00`";
                numbers.zone = Zone::parse(value).ok_or_else(|| self.wrong(value, expected))?;
            }
            Self::Burst => numbers.burst = units()?,
            Self::Refill => {
                let expected = "`greedy` or `interval`";
                numbers.refill = Refill::named(value).ok_or_else(|| self.wrong(value, expected))?;
            }
            Self::Borrow => numbers.borrow = units()?,
            Self::Wait => numbers.wait_ms = milliseconds(value)?,
            Self::Lease if value == AUTO => numbers.lease = Lease::Auto,
            Self::Lease => {
                let expected = number_instead_of(value, "a whole number or `auto`");
                numbers.lease = Lease::Most(value.parse().map_err(|_| self.wrong(value, expected))?);
            }
            Self::Block => {
                let steps = value.split(',').map(milliseconds).collect::<Result<Vec<_>, _>>()?;
                let steps: Vec<Duration> = steps.into_iter().map(Duration::from_millis).collect();
                numbers.block = Block::of(if steps == [Duration::ZERO] { &[] } else { &steps })?;
            }
        }
        Ok(())
    }

    fn wrong(self, value: &str, expected: &str) -> ParseLimitError {
        let message = format!("`{}={value}` must be {expected}", self.as_str());
        ParseLimitError::new("a field has a wrong value", message)
    }

    /// Writes the text that [`read`](Self::read) reads.
    pub fn show(self, numbers: &Numbers) -> String {
        match self {
            Self::Count => numbers.count.to_string(),
            Self::Time => duration::show_time(numbers.time_ms, numbers.calendar),
            Self::Zone => numbers.zone.to_string(),
            Self::Burst => numbers.burst.to_string(),
            Self::Refill => numbers.refill.as_str().to_owned(),
            Self::Borrow => numbers.borrow.to_string(),
            Self::Wait => duration::show(numbers.wait_ms),
            Self::Lease => match numbers.lease {
                Lease::Most(units) => units.to_string(),
                Lease::Auto => AUTO.to_owned(),
            },
            Self::Block => numbers.block.to_string(),
        }
    }
}

/// Says what a value must be: `expected`, or a smaller number.
fn number_instead_of<'e>(value: &str, expected: &'e str) -> &'e str {
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { "at most 4294967295" } else { expected }
}

fn milliseconds(text: &str) -> Result<u64, ParseLimitError> {
    let wrong = |why| format!("`{text}` is not a duration: {why}");
    duration::parse(text).map_err(|why| ParseLimitError::new("a field is not a duration", wrong(why)))
}
