//! Dates and times of day: seconds since 1970 from a date, and back.

/// A moment in a time zone, in whole seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    /// From 1.
    pub(crate) month: i64,
    /// From 1.
    pub(crate) day: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
}

pub(crate) const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const DAY: i64 = 86_400;

impl Civil {
    /// The last second of the year 9999.
    pub(crate) const LAST: i64 = 253_402_300_799;

    /// Seconds since 1970 in the same time zone. `None` if there is no such moment.
    pub(crate) fn seconds(self) -> Option<i64> {
        let valid = (1970..=9999).contains(&self.year)
            && (1..=12).contains(&self.month)
            && (1..=days_of(self.year, self.month)).contains(&self.day)
            && (0..24).contains(&self.hour)
            && (0..60).contains(&self.minute)
            && (0..=60).contains(&self.second); // a leap second counts as the next second
        let days: i64 = days_before(self.year)
            + (1..self.month).map(|month| days_of(self.year, month)).sum::<i64>()
            + self.day
            - 1;
        valid.then_some(days * DAY + self.hour * 3600 + self.minute * 60 + self.second)
    }

    /// The moment this number of seconds after the start of 1970.
    pub(crate) fn of(seconds: i64) -> Self {
        let (days, time) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        // A year has at least 365 days, so this is never too early, and few years are left to go back.
        let mut year = 1970 + days / 365;
        while days_before(year) > days {
            year -= 1;
        }
        let mut day = days - days_before(year);
        let mut month = 1;
        while day >= days_of(year, month) {
            day -= days_of(year, month);
            month += 1;
        }
        let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
        Self { year, month, day: day + 1, hour, minute, second }
    }

    pub(crate) fn month_name(self) -> &'static str {
        let at = usize::try_from(self.month - 1).unwrap_or_default();
        MONTHS.get(at).copied().unwrap_or_default()
    }

    /// `2026-11-22T13:55:36Z`, for a moment in UTC.
    pub(crate) fn iso(self) -> String {
        let Self { year, month, day, hour, minute, second } = self;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// The days from the start of 1970 to the start of a year.
fn days_before(year: i64) -> i64 {
    let leap_days = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    (year - 1970) * 365 + leap_days(year - 1) - leap_days(1969)
}

fn days_of(year: i64, month: i64) -> i64 {
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_become_seconds_and_back() {
        for (iso, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T13:55:36Z", 951_832_536),
            ("2026-11-22T11:36:41Z", 1_795_347_401),
            ("2100-03-01T00:00:00Z", 4_107_542_400),
        ] {
            let civil = Civil::of(seconds);
            assert_eq!((civil.iso().as_str(), civil.seconds()), (iso, Some(seconds)));
        }
    }

    #[test]
    fn every_day_of_four_centuries_is_read_back() {
        for day in 0..=(400 * 366) {
            let seconds = day * DAY + 4711;
            assert_eq!(Civil::of(seconds).seconds(), Some(seconds));
        }
    }

    #[test]
    fn impossible_dates_are_refused() {
        let good = Civil { year: 2026, month: 2, day: 28, hour: 23, minute: 59, second: 60 };
        assert!(good.seconds().is_some());
        for bad in [
            Civil { day: 29, ..good },
            Civil { month: 13, ..good },
            Civil { month: 0, ..good },
            Civil { hour: 24, ..good },
            Civil { year: 1969, ..good },
            Civil { minute: 60, ..good },
        ] {
            assert_eq!(bad.seconds(), None, "{bad:?}");
        }
    }
}
