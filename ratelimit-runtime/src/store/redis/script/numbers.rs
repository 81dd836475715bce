//! Range checks for the numbers in a reply. A number out of range makes the reply invalid. No number is rounded, wrapped or
//! clamped.

use crate::decision::Decision;
use crate::limit::Limit;
use std::time::Duration;

/// The scripts' negated delay of a request that can never pass (`lua/head.lua`).
pub(super) const NEVER: i64 = (1 << 53) - 1;
/// The scripts' negated delay of a request whose key holds a foreign value (`lua/head.lua`).
pub(crate) const FOREIGN_KEY: i64 = (1 << 53) - 2;
/// The longest time in a reply, in milliseconds.
pub(super) const LONGEST_MS: i64 = FOREIGN_KEY - 1;

/// The error of a number that is outside of its range.
pub(crate) const OUT_OF_RANGE: &str = "a number is out of range";

/// Creates the decision of a call that passes. `remaining` is at most the capacity of the limit.
pub(super) fn allow(limit: &Limit, remaining: i64, reset_ms: i64) -> Result<Decision, &'static str> {
    Ok(Decision::allow(limit, self::remaining(limit, remaining)?, ms(reset_ms)?))
}

/// Creates the decision of a refused call, which can pass after `retry_ms` (at least 1).
pub(super) fn refuse(
    limit: &Limit,
    remaining: i64,
    retry_ms: i64,
    reset_ms: i64,
) -> Result<Decision, &'static str> {
    if retry_ms < 1 {
        return Err(OUT_OF_RANGE);
    }
    let remaining = self::remaining(limit, remaining)?;
    Ok(Decision::refuse(limit, remaining, Some(ms(retry_ms)?), ms(reset_ms)?))
}

/// Creates the decision of a call that can never pass.
pub(super) fn refuse_forever(limit: &Limit, remaining: i64, reset_ms: i64) -> Result<Decision, &'static str> {
    Ok(Decision::refuse(limit, self::remaining(limit, remaining)?, None, ms(reset_ms)?))
}

/// Reads a time from 0 to [`LONGEST_MS`].
pub(super) fn ms(ms: i64) -> Result<Duration, &'static str> {
    if ms > LONGEST_MS {
        return Err(OUT_OF_RANGE);
    }
    u64::try_from(ms).map(Duration::from_millis).map_err(|_| OUT_OF_RANGE)
}

fn remaining(limit: &Limit, remaining: i64) -> Result<u32, &'static str> {
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
        assert_eq!(refuse(&LIMIT, 0, LONGEST_MS, 1).unwrap().retry_after(), Some(longest));
        assert_eq!(refuse(&LIMIT, 0, 1, 1).unwrap().retry_after(), Some(Duration::from_millis(1)));
        assert_eq!(refuse_forever(&LIMIT, 10, 1).unwrap().retry_after(), None);
    }

    #[test]
    fn rejects_numbers_out_of_range() {
        for wrong in [i64::MIN, i64::MIN + 1, -1, 11, 1 << 32, 1 << 53, i64::MAX] {
            assert!(allow(&LIMIT, wrong, 0).is_err(), "{wrong}");
            assert!(refuse(&LIMIT, wrong, 1, 0).is_err(), "{wrong}");
            assert!(refuse_forever(&LIMIT, wrong, 0).is_err(), "{wrong}");
        }
        for wrong in [i64::MIN, i64::MIN + 1, -1, FOREIGN_KEY, NEVER, 1 << 53, i64::MAX] {
            assert!(allow(&LIMIT, 0, wrong).is_err(), "{wrong}");
            assert!(refuse(&LIMIT, 0, wrong, 0).is_err(), "{wrong}");
            assert!(refuse(&LIMIT, 0, 1, wrong).is_err(), "{wrong}");
            assert!(refuse_forever(&LIMIT, 0, wrong).is_err(), "{wrong}");
        }
        assert!(refuse(&LIMIT, 0, 0, 0).is_err());
    }
}
