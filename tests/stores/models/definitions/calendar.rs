//! Windows of the calendar, by a crate for dates.

use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::Offset;

/// An offset such as `+01:00`.
pub(crate) fn offset(text: &str) -> Offset {
    let (hours, minutes) = text[1..].split_once(':').unwrap();
    let seconds = 3600 * hours.parse::<i32>().unwrap() + 60 * minutes.parse::<i32>().unwrap();
    Offset::from_seconds(if text.starts_with('-') { -seconds } else { seconds }).unwrap()
}

/// The first day of the next week or month.
pub(crate) fn first_after(window: &str, day: Date) -> Date {
    match window {
        "week" => day.nth_weekday(1, Weekday::Monday).unwrap(),
        "month" => day.last_of_month().tomorrow().unwrap(),
        _ => day.tomorrow().unwrap(),
    }
}

/// The start of a day in ms since 1970.
pub(crate) fn start_of(day: Date, offset: Offset) -> i64 {
    offset.to_timestamp(day.at(0, 0, 0, 0)).unwrap().as_millisecond()
}

/// The end of the window at this time, both in ms since 1970.
pub(crate) fn end_of(window: &str, offset: Offset, now: u64) -> u64 {
    let local = offset.to_datetime(Timestamp::from_millisecond(now.try_into().unwrap()).unwrap());
    let end = match window {
        "hour" => {
            let start = local.date().at(local.hour(), 0, 0, 0);
            offset.to_timestamp(start).unwrap().as_millisecond() + 3_600_000
        }
        _ => start_of(first_after(window, local.date()), offset),
    };
    end.try_into().unwrap()
}
