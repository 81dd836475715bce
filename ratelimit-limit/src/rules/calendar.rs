//! Calendar windows: hours, days, weeks and months, in a zone with a fixed offset from UTC.

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

listed! {
    /// A window that begins and ends with the calendar, for all callers at the same time. Its hours and days are in the
    /// [`zone`](crate::Limit::zone) of the limit, which is UTC by default.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Calendar {
        /// From a full hour to the next one.
        Hour,
        /// From midnight to midnight.
        Day,
        /// From Monday to Sunday.
        Week,
        /// From the first day of a month to the last one.
        Month,
    }
}

/// A calendar window with its zone.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    pub calendar: Calendar,
    pub zone: Zone,
}

/// An offset from UTC in minutes, from -23:59 to +23:59.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Zone(i16);

impl Calendar {
    /// The name in the attribute and in text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    /// Finds the calendar window with this name, such as `month`. `None` for any other text.
    #[doc(hidden)]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|calendar| calendar.as_str() == name)
    }

    /// The length of the longest window in ms.
    #[doc(hidden)]
    pub const fn longest_ms(self) -> u64 {
        let hours = match self {
            Self::Hour => 1,
            Self::Day => 24,
            Self::Week => 7 * 24,
            Self::Month => 31 * 24,
        };
        hours * 3_600_000
    }
}

impl Window {
    /// Returns the time in ms from `unix_ms` (since 1970 in UTC) to the end of the window at that time. `lua/counter.lua`
    /// computes the same.
    pub const fn until_end_ms(self, unix_ms: u64) -> u64 {
        let now = unix_ms.cast_signed() + self.zone.ms();
        let length = self.calendar.longest_ms().cast_signed();
        let until_end = match self.calendar {
            Calendar::Hour | Calendar::Day => length - now.rem_euclid(length),
            // 1970 began on a Thursday.
            Calendar::Week => length - (now + 3 * DAY_MS).rem_euclid(length),
            Calendar::Month => {
                let (day, days) = day_of_month(now.div_euclid(DAY_MS));
                (days - day) * DAY_MS - now.rem_euclid(DAY_MS)
            }
        };
        until_end.unsigned_abs()
    }

    /// Returns the length in ms of the window that ends at `end_unix_ms` (since 1970 in UTC). An end that is off by a day gives
    /// the same length.
    pub const fn length_ms(self, end_unix_ms: u64) -> u64 {
        match self.calendar {
            Calendar::Month => {
                // In any zone, the day two weeks before the end is inside the window.
                let inside = end_unix_ms.cast_signed().div_euclid(DAY_MS) - 14;
                (day_of_month(inside).1 * DAY_MS).unsigned_abs()
            }
            Calendar::Hour | Calendar::Day | Calendar::Week => self.calendar.longest_ms(),
        }
    }
}

/// Returns the day of the month, from 0, and the number of days in that month. `day` counts the days since 1970. Years begin in
/// March here: the leap day is then the last day of the year, and the months before it follow a pattern of 153 days in five
/// months.
const fn day_of_month(day: i64) -> (i64, i64) {
    let day_of_era = (day + 719_468).rem_euclid(146_097);
    let year = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - first_day(year);
    let month = (5 * day_of_year + 2) / 153;
    let (first, next) = ((153 * month + 2) / 5, (153 * (month + 1) + 2) / 5);
    let days = if month == 11 { first_day(year + 1) - first_day(year) - first } else { next - first };
    (day_of_year - first, days)
}

/// The first day of a year, counted from the start of its era of 400 years.
const fn first_day(year: i64) -> i64 {
    365 * year + year / 4 - year / 100 + year / 400
}

impl Zone {
    pub const UTC: Self = Self(0);

    /// Reads an offset such as `+01:00` or `-03:30`. `None` if the text is not an offset.
    pub const fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let [sign, h1 @ b'0'..=b'2', h2 @ b'0'..=b'9', b':', m1 @ b'0'..=b'5', m2 @ b'0'..=b'9'] = bytes
        else {
            return None;
        };
        let (hours, minutes) = (10 * (*h1 - b'0') + (*h2 - b'0'), 10 * (*m1 - b'0') + (*m2 - b'0'));
        let minutes = 60 * hours as i16 + minutes as i16;
        match sign {
            b'+' if hours < 24 => Some(Self(minutes)),
            b'-' if hours < 24 => Some(Self(-minutes)),
            _ => None,
        }
    }

    pub const fn minutes(self) -> i16 {
        self.0
    }

    pub const fn ms(self) -> i64 {
        self.0 as i64 * MINUTE_MS
    }
}

impl std::fmt::Display for Zone {
    /// Writes the form that [`parse`](Self::parse) reads.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let minutes = self.0.unsigned_abs();
        write!(f, "{}{:02}:{:02}", if self.0 < 0 { '-' } else { '+' }, minutes / 60, minutes % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_read_and_written() {
        for text in ["+00:00", "+01:00", "-03:30", "+23:59", "-23:59", "+12:45"] {
            assert_eq!(Zone::parse(text).unwrap().to_string(), text);
        }
        for text in
            ["", "+1:00", "01:00", "+24:00", "+01:60", "+01-00", "Europe/Berlin", "UTC", "Z", "+01:000"]
        {
            assert_eq!(Zone::parse(text), None, "{text}");
        }
    }

    #[test]
    fn each_day_of_400_years_is_in_its_month() {
        let mut day = 0;
        for year in 1970..2370 {
            let is_leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
            for days in [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
                for of_month in 0..days {
                    assert_eq!(day_of_month(day), (of_month, days), "day {day} in {year}");
                    day += 1;
                }
            }
        }
    }

    #[test]
    fn windows_end_with_the_calendar() {
        let utc = |calendar| Window { calendar, zone: Zone::UTC };
        // 2026-11-24 11:03:00.500 UTC, a Tuesday.
        let now = 1_795_518_180_500;
        let until = |calendar| utc(calendar).until_end_ms(now);
        assert_eq!(until(Calendar::Hour), 57 * 60_000 - 500);
        assert_eq!(until(Calendar::Day), 13 * 3_600_000 - 180_500);
        assert_eq!(until(Calendar::Week), 6 * 86_400_000 - (11 * 3_600_000 + 180_500));
        assert_eq!(until(Calendar::Month), 7 * 86_400_000 - (11 * 3_600_000 + 180_500));
        let end = now + until(Calendar::Month);
        assert_eq!(utc(Calendar::Month).length_ms(end), 30 * 86_400_000);
        assert_eq!(utc(Calendar::Month).until_end_ms(end), 31 * 86_400_000, "December");
        let lengths = Calendar::ALL.map(Calendar::longest_ms);
        assert_eq!(lengths, [1, 24, 7 * 24, 31 * 24].map(|hours| hours * 3_600_000));
        assert_eq!(Calendar::ALL.map(|calendar| utc(calendar).length_ms(0)), lengths, "December 1969");
        let west = Window { calendar: Calendar::Day, zone: Zone::parse("-11:30").unwrap() };
        assert_eq!(west.until_end_ms(now), 24 * 3_600_000 - (23 * 3_600_000 + 33 * 60_000 + 500));
    }
}
