//! The start of traffic: zero, or the time of the first line of a log. The labels of the time axis begin at this start.

use crate::simulate::time::{self, DAY, MINUTE, SECOND};
use jiff::civil::Time;
use jiff::tz::Offset;
use jiff::{Span, Timestamp};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    /// Simulated traffic starts at zero.
    Zero,
    /// The first second of a log, and its time zone.
    Log { start: Timestamp, zone: Offset },
}

impl Origin {
    /// The time since 1970 in UTC of a moment of the traffic, for calendar windows. `at` is in microseconds since the start.
    /// Simulated traffic starts on Thursday, 1 January 1970.
    pub(crate) fn unix_time(self, at: u64) -> Duration {
        let start = match self {
            Self::Zero => 0,
            Self::Log { start, .. } => u64::try_from(start.as_microsecond()).unwrap_or_default(),
        };
        Duration::from_micros(start.saturating_add(at))
    }

    /// The words under the axis of time.
    pub(crate) fn axis(self) -> String {
        match self {
            Self::Zero => "time since the start".to_owned(),
            Self::Log { zone, .. } if zone == Offset::UTC => "time of day (UTC)".to_owned(),
            Self::Log { zone, .. } => format!("time of day (UTC{zone})"),
        }
    }

    /// The position of the first tick in microseconds. Ticks of a log are at round times of the day.
    pub(crate) fn first_tick(self, step: u64) -> u64 {
        let Self::Log { start, zone } = self else { return 0 };
        let local = start.as_microsecond() + i64::from(zone.seconds()) * 1_000_000;
        let local = u64::try_from(local).unwrap_or_default();
        (step - local % step) % step
    }

    /// The label of a tick.
    pub(crate) fn label(self, at: u64, step: u64) -> String {
        let Self::Log { start, zone } = self else { return time::show(at) };
        let local = zone.to_datetime(after(start, at));
        if step >= DAY || local.time() == Time::midnight() {
            local.strftime("%-d %b").to_string()
        } else if step.is_multiple_of(MINUTE) {
            local.strftime("%H:%M").to_string()
        } else {
            local.strftime("%H:%M:%S").to_string()
        }
    }

    /// The time of a row in a file: seconds since the start, or a date in UTC.
    pub(crate) fn stamp(self, at: u64) -> String {
        match self {
            Self::Zero => format!("{}.{:06}", at / SECOND, at % SECOND),
            Self::Log { start, .. } => after(start, at).to_string(),
        }
    }
}

/// `at` is in microseconds.
fn after(start: Timestamp, at: u64) -> Timestamp {
    let later = Span::new().try_microseconds(i64::try_from(at).unwrap_or(i64::MAX));
    later.and_then(|later| start.checked_add(later)).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::time::{HOUR, MINUTE};

    #[test]
    fn ticks_of_a_log_are_at_round_times_of_its_zone() {
        // 13:55:36 in UTC, 19:25:36 in the zone of the log.
        let start = Timestamp::from_second(951_832_536).unwrap();
        let log = Origin::Log { start, zone: Offset::from_seconds(19_800).unwrap() };
        let first = log.first_tick(HOUR);
        assert_eq!(first, 34 * MINUTE + 24 * SECOND);
        assert_eq!(log.label(first, HOUR), "20:00");
        assert_eq!(log.label(first + 4 * HOUR, HOUR), "1 Mar");
        assert_eq!(log.label(0, SECOND), "19:25:36");
        assert_eq!(log.axis(), "time of day (UTC+05:30)");
        assert_eq!(log.stamp(1_500_000), "2000-02-29T13:55:37.5Z");
    }
}
