//! Ranges of the numbers in a reply. A number outside of its range makes the reply an error: it is never rounded, wrapped or
//! believed.

use crate::decision::Decision;
use crate::limit::Limit;
use std::time::Duration;

/// What the scripts reply instead of a wait (`lua/head.lua`).
pub(crate) const NEVER: i64 = (1 << 53) - 1;
pub(crate) const FOREIGN: i64 = (1 << 53) - 2;
/// The longest time in a reply, in ms.
pub(crate) const LONGEST_MS: i64 = FOREIGN - 1;

/// Why a reply is an error.
pub(crate) const WRONG: &str = "a number is out of range";

/// An allowed call. `remaining` is at most what the limit can hold.
pub(crate) fn allow(limit: &Limit, remaining: i64, reset_ms: i64) -> Result<Decision, &'static str> {
    Ok(Decision::allow(limit, self::remaining(limit, remaining)?, ms(reset_ms)?))
}

/// A refused call, which would pass after `retry_ms`.
pub(crate) fn refuse(
    limit: &Limit,
    remaining: i64,
    retry_ms: i64,
    reset_ms: i64,
) -> Result<Decision, &'static str> {
    if retry_ms < 1 {
        return Err(WRONG);
    }
    let remaining = self::remaining(limit, remaining)?;
    Ok(Decision::refuse(limit, remaining, Some(ms(retry_ms)?), ms(reset_ms)?))
}

/// A call that is refused for good.
pub(crate) fn refuse_forever(limit: &Limit, remaining: i64, reset_ms: i64) -> Result<Decision, &'static str> {
    Ok(Decision::refuse(limit, self::remaining(limit, remaining)?, None, ms(reset_ms)?))
}

/// A time from 0 to [`LONGEST_MS`].
pub(crate) fn ms(ms: i64) -> Result<Duration, &'static str> {
    if ms > LONGEST_MS {
        return Err(WRONG);
    }
    u64::try_from(ms).map(Duration::from_millis).map_err(|_| WRONG)
}

fn remaining(limit: &Limit, remaining: i64) -> Result<u32, &'static str> {
    u32::try_from(remaining).ok().filter(|remaining| *remaining <= limit.capacity()).ok_or(WRONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit::counter(10, Duration::from_secs(60));

    #[test]
    fn what_a_limit_can_say_is_accepted() {
        let longest = Duration::from_millis((1 << 53) - 3);
        assert_eq!(allow(&LIMIT, 10, 0).unwrap().remaining(), 10);
        assert_eq!(allow(&LIMIT, 0, LONGEST_MS).unwrap().reset_after(), longest);
        assert_eq!(refuse(&LIMIT, 0, LONGEST_MS, 1).unwrap().retry_after(), Some(longest));
        assert_eq!(refuse(&LIMIT, 0, 1, 1).unwrap().retry_after(), Some(Duration::from_millis(1)));
        assert_eq!(refuse_forever(&LIMIT, 10, 1).unwrap().retry_after(), None);
    }

    #[test]
    fn everything_else_is_an_error() {
        for wrong in [i64::MIN, i64::MIN + 1, -1, 11, 1 << 32, 1 << 53, i64::MAX] {
            assert!(allow(&LIMIT, wrong, 0).is_err(), "{wrong}");
            assert!(refuse(&LIMIT, wrong, 1, 0).is_err(), "{wrong}");
            assert!(refuse_forever(&LIMIT, wrong, 0).is_err(), "{wrong}");
        }
        for wrong in [i64::MIN, i64::MIN + 1, -1, FOREIGN, NEVER, 1 << 53, i64::MAX] {
            assert!(allow(&LIMIT, 0, wrong).is_err(), "{wrong}");
            assert!(refuse(&LIMIT, 0, wrong, 0).is_err(), "{wrong}");
            assert!(refuse(&LIMIT, 0, 1, wrong).is_err(), "{wrong}");
            assert!(refuse_forever(&LIMIT, 0, wrong).is_err(), "{wrong}");
        }
        assert!(refuse(&LIMIT, 0, 0, 0).is_err());
    }
}
