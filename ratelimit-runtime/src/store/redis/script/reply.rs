//! Reads the replies of `decide` and `adjust`.

use crate::decision::Decision;
use crate::limit::Limit;
use crate::store::{Adjusted, Adjustment, Decisions, Mode};
use redis::Value;
use std::time::Duration;

/// The reason why the reply of a script cannot be used.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InvalidReply {
    /// The reply does not have the expected form.
    Malformed(&'static str),
    /// A key holds a value that no script of this library has written.
    ForeignKey,
    /// The server refuses to write, with the error of this code. The request would pass, and was not charged.
    NotWritten(&'static str),
}

use InvalidReply::Malformed;

const WRONG_NUMBER: InvalidReply = Malformed("the number of decisions differs from the number of requests");

/// The error of a number that is outside of its range. It makes the reply invalid: no number is rounded, wrapped or clamped.
pub(crate) const OUT_OF_RANGE: InvalidReply = Malformed("a number is out of range");

/// Returns [`Limit::longest_reset_ms`], at most [`LONGEST_MS`]. If the reply about a request is a single number, this number
/// plus 1 is the base of its packing (`lua/decide.lua`).
pub(crate) fn longest_reset(limit: &Limit) -> i64 {
    i64::try_from(limit.longest_reset_ms()).unwrap_or(LONGEST_MS).min(LONGEST_MS)
}

/// The numbers in a reply of `decide`, which are doubles.
pub(crate) struct Numbers<'r>(&'r [[u8; 8]]);

impl<'r> Numbers<'r> {
    pub(crate) fn of(reply: &'r Value) -> Result<Self, InvalidReply> {
        let Value::BulkString(bytes) = reply else { return Err(Malformed("expected a string")) };
        match bytes.as_chunks() {
            (numbers, []) => Ok(Self(numbers)),
            _ => Err(Malformed("the last decision is incomplete")),
        }
    }

    /// Takes the numbers of the next request: delay, remaining, reset and stamp. In modes other than `charge`, the stamp is 0.
    pub(crate) fn next(&mut self, mode: Mode, longest_reset: i64) -> Result<[i64; 4], InvalidReply> {
        if mode == Mode::Charge {
            return self.take();
        }
        let [first] = self.take()?;
        if (0..NEVER).contains(&first) {
            return Ok([0, first / (longest_reset + 1), first % (longest_reset + 1), 0]);
        }
        let [remaining, reset] = self.take()?;
        Ok([first.min(0), remaining, reset, 0])
    }

    /// Skips the next number if it is `expected`. Returns whether it is.
    pub(crate) fn skip(&mut self, expected: i64) -> bool {
        let Some((first, rest)) = self.0.split_first() else { return false };
        let is_expected = integer(*first).is_ok_and(|number| number == expected);
        if is_expected {
            self.0 = rest;
        }
        is_expected
    }

    /// Returns an error if there are more numbers than expected.
    pub(crate) fn end(&self) -> Result<(), InvalidReply> {
        if self.0.is_empty() { Ok(()) } else { Err(WRONG_NUMBER) }
    }

    pub(crate) fn take<const N: usize>(&mut self) -> Result<[i64; N], InvalidReply> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or(WRONG_NUMBER)?;
        self.0 = rest;
        let mut numbers = [0; N];
        for (number, bytes) in numbers.iter_mut().zip(taken) {
            *number = integer(*bytes)?;
        }
        Ok(numbers)
    }
}

/// Reads a double that is an integer, at most [`NEVER`] in size.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "an integer below 2^53")]
fn integer(bytes: [u8; 8]) -> Result<i64, InvalidReply> {
    let number = f64::from_le_bytes(bytes);
    if number.fract() == 0.0 && number.abs() <= NEVER as f64 { Ok(number as i64) } else { Err(OUT_OF_RANGE) }
}

/// Reads the decisions about requests that were not merged.
pub(crate) fn decisions<'l>(
    reply: &Value,
    mode: Mode,
    limits: impl Iterator<Item = &'l Limit>,
) -> Result<Decisions, InvalidReply> {
    let mut numbers = Numbers::of(reply)?;
    let mut read = |limit| decision(numbers.next(mode, longest_reset(limit))?, mode, limit);
    let decisions = limits.map(&mut read).collect::<Result<_, _>>()?;
    numbers.end()?;
    Ok(decisions)
}

/// Converts the numbers about one request to a decision.
pub(crate) fn decision(
    [delay, remaining, reset, stamp]: [i64; 4],
    mode: Mode,
    limit: &Limit,
) -> Result<Decision, InvalidReply> {
    if delay == -FOREIGN_KEY {
        return Err(undecided(remaining));
    }
    if delay == -NEVER {
        return refuse(limit, remaining, None, reset);
    }
    if delay < 0 {
        return refuse(limit, remaining, Some(-delay), reset);
    }
    let longest_wait = if mode == Mode::Charge { limit.longest_wait() } else { Duration::ZERO };
    let delay = ms(delay)?;
    if delay > longest_wait {
        return Err(OUT_OF_RANGE);
    }
    let stamp = if mode == Mode::Charge { u64::try_from(stamp).map_err(|_| OUT_OF_RANGE)? } else { 0 };
    Ok(allow(limit, remaining, reset)?.in_turn(delay, stamp))
}

/// Reads the reply of `adjust`: one number for each adjustment, which is at most [`Adjustment::most`].
pub(crate) fn adjusted(reply: &Value, adjustments: &[Adjustment]) -> Result<Adjusted, InvalidReply> {
    let Value::Array(fields) = reply else { return Err(Malformed("expected a list")) };
    if fields.len() != adjustments.len() {
        return Err(Malformed("the number of integers differs from the number of adjustments"));
    }
    let units = |(field, adjustment): (&Value, &Adjustment)| match field {
        Value::Int(units) => {
            let units = u32::try_from(*units).ok().filter(|units| *units <= adjustment.most());
            units.ok_or(OUT_OF_RANGE)
        }
        _ => Err(Malformed("expected a list of integers")),
    };
    fields.iter().zip(adjustments).map(units).collect()
}

/// The scripts return the negative of this number as the delay of a request that can never pass (`lua/head.lua`).
pub(crate) const NEVER: i64 = (1 << 53) - 1;
/// The scripts return the negative of this number as the delay of a request about which nothing was decided. `remaining` then
/// says why: 0 if the key holds a foreign value, otherwise the position of a code in [`REFUSALS`], from 1 on.
pub(crate) const FOREIGN_KEY: i64 = (1 << 53) - 2;
/// The codes of the errors with which a server refuses to write (`lua/decide.lua`).
const REFUSALS: [&str; 3] = ["OOM", "NOREPLICAS", "MISCONF"];

fn undecided(why: i64) -> InvalidReply {
    let code = usize::try_from(why).ok().and_then(|why| REFUSALS.get(why.checked_sub(1)?));
    match code {
        Some(code) => InvalidReply::NotWritten(code),
        None if why == 0 => InvalidReply::ForeignKey,
        None => OUT_OF_RANGE,
    }
}
/// The longest time in a reply, in milliseconds.
pub(super) const LONGEST_MS: i64 = FOREIGN_KEY - 1;

/// Creates the decision of a call that passes. `remaining` is at most the capacity of the limit.
pub(super) fn allow(limit: &Limit, remaining: i64, reset_ms: i64) -> Result<Decision, InvalidReply> {
    Ok(Decision::allow(limit, self::remaining(limit, remaining)?, ms(reset_ms)?))
}

/// Creates the decision of a call that is refused. The same call passes after `retry_ms`, or never if `retry_ms` is `None`.
pub(super) fn refuse(
    limit: &Limit,
    remaining: i64,
    retry_ms: Option<i64>,
    reset_ms: i64,
) -> Result<Decision, InvalidReply> {
    if retry_ms.is_some_and(|retry_ms| retry_ms < 1) {
        return Err(OUT_OF_RANGE);
    }
    let retry = retry_ms.map(ms).transpose()?;
    Ok(Decision::refuse(limit, self::remaining(limit, remaining)?, retry, ms(reset_ms)?))
}

/// Reads a time from 0 to [`LONGEST_MS`].
pub(super) fn ms(ms: i64) -> Result<Duration, InvalidReply> {
    if ms > LONGEST_MS {
        return Err(OUT_OF_RANGE);
    }
    u64::try_from(ms).map(Duration::from_millis).map_err(|_| OUT_OF_RANGE)
}

fn remaining(limit: &Limit, remaining: i64) -> Result<u32, InvalidReply> {
    u32::try_from(remaining).ok().filter(|remaining| *remaining <= limit.capacity()).ok_or(OUT_OF_RANGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit::counter(10, Duration::from_secs(60));

    #[test]
    fn accepts_numbers_in_range() {
        let longest = Duration::from_millis((1 << 53) - 3);
        assert_eq!(allow(&LIMIT, 10, 0).unwrap().remaining(), 10);
        assert_eq!(allow(&LIMIT, 0, LONGEST_MS).unwrap().reset_after(), longest);
        assert_eq!(refuse(&LIMIT, 0, Some(LONGEST_MS), 1).unwrap().retry_after(), Some(longest));
        assert_eq!(refuse(&LIMIT, 0, Some(1), 1).unwrap().retry_after(), Some(Duration::from_millis(1)));
        assert_eq!(refuse(&LIMIT, 10, None, 1).unwrap().retry_after(), None);
    }

    #[test]
    fn a_request_that_cannot_be_written_is_told_from_a_foreign_key() {
        let code = |why| match decision([-FOREIGN_KEY, why, 0, 0], Mode::Check, &LIMIT) {
            Err(InvalidReply::NotWritten(code)) => Some(code),
            Err(InvalidReply::ForeignKey) => Some("foreign"),
            _ => None,
        };
        assert_eq!([0, 1, 2, 3].map(code), ["foreign", "OOM", "NOREPLICAS", "MISCONF"].map(Some));
        assert_eq!([-1, 4, i64::MAX].map(code), [None; 3]);
    }

    #[test]
    fn rejects_numbers_out_of_range() {
        for wrong in [i64::MIN, i64::MIN + 1, -1, 11, 1 << 32, 1 << 53, i64::MAX] {
            assert!(allow(&LIMIT, wrong, 0).is_err(), "{wrong}");
            assert!(refuse(&LIMIT, wrong, Some(1), 0).is_err(), "{wrong}");
            assert!(refuse(&LIMIT, wrong, None, 0).is_err(), "{wrong}");
        }
        for wrong in [i64::MIN, i64::MIN + 1, -1, FOREIGN_KEY, NEVER, 1 << 53, i64::MAX] {
            assert!(allow(&LIMIT, 0, wrong).is_err(), "{wrong}");
            assert!(refuse(&LIMIT, 0, Some(wrong), 0).is_err(), "{wrong}");
            assert!(refuse(&LIMIT, 0, Some(1), wrong).is_err(), "{wrong}");
            assert!(refuse(&LIMIT, 0, None, wrong).is_err(), "{wrong}");
        }
        assert!(refuse(&LIMIT, 0, Some(0), 0).is_err());
    }
}
