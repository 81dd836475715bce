//! The start of traffic: zero, or the time of the first line of a log. It labels the axis of time.

use crate::simulate::calendar::Civil;
use crate::simulate::time::{self, DAY, SECOND};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    /// Simulated traffic starts at zero.
    Zero,
    /// Seconds since 1970 in UTC, and the seconds that the time zone of the log is ahead of UTC.
    Log { start: i64, ahead: i64 },
}

impl Origin {
    /// The words under the axis of time.
    pub(crate) fn axis(self) -> String {
        match self {
            Self::Zero => "time since the start".to_owned(),
            Self::Log { ahead: 0, .. } => "time of day (UTC)".to_owned(),
            Self::Log { ahead, .. } => {
                let (sign, minutes) = (if ahead < 0 { '-' } else { '+' }, ahead.abs() / 60);
                format!("time of day (UTC{sign}{:02}:{:02})", minutes / 60, minutes % 60)
            }
        }
    }

    /// The position of the first tick in microseconds: ticks of a log are at round times of the day.
    pub(crate) fn first_tick(self, step: u64) -> u64 {
        match self {
            Self::Zero => 0,
            Self::Log { start, ahead } => {
                let local = u64::try_from(start + ahead).unwrap_or_default().saturating_mul(SECOND);
                (step - local % step) % step
            }
        }
    }

    /// The label of a tick.
    pub(crate) fn label(self, at: u64, step: u64) -> String {
        let Self::Log { start, ahead } = self else { return time::show(at) };
        let civil = Civil::of(start + ahead + i64::try_from(at / SECOND).unwrap_or_default());
        if step >= DAY || (civil.hour, civil.minute, civil.second) == (0, 0, 0) {
            format!("{} {}", civil.day, civil.month_name())
        } else if step.is_multiple_of(time::MINUTE) {
            format!("{:02}:{:02}", civil.hour, civil.minute)
        } else {
            format!("{:02}:{:02}:{:02}", civil.hour, civil.minute, civil.second)
        }
    }

    /// The time of a row in a file: seconds since the start, or a date in UTC.
    pub(crate) fn stamp(self, at: u64) -> String {
        match self {
            Self::Zero => format!("{}.{:06}", at / SECOND, at % SECOND),
            Self::Log { start, .. } => {
                let second = Civil::of(start + i64::try_from(at / SECOND).unwrap_or_default()).iso();
                match at % SECOND {
                    0 => second,
                    micros => format!("{}.{micros:06}Z", second.trim_end_matches('Z')),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::time::{HOUR, MINUTE};

    #[test]
    fn ticks_of_a_log_are_at_round_times_of_its_zone() {
        // 13:55:36 in UTC, 19:25:36 there.
        let log = Origin::Log { start: 951_832_536, ahead: 19_800 };
        let first = log.first_tick(HOUR);
        assert_eq!(first, 34 * MINUTE + 24 * SECOND);
        assert_eq!(log.label(first, HOUR), "20:00");
        assert_eq!(log.label(first + 4 * HOUR, HOUR), "1 Mar");
        assert_eq!(log.label(0, SECOND), "19:25:36");
        assert_eq!(log.axis(), "time of day (UTC+05:30)");
        assert_eq!(log.stamp(1_500_000), "2000-02-29T13:55:37.500000Z");
    }
}
