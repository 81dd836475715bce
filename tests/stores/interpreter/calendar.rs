//! Calendar windows: compares every boundary from 1970 to 2255 in 27 zones, in Lua and in Rust, with a crate for dates.

use super::parts::parts;
use crate::harness::{is_soak, seed};
use jiff::civil::{Date, Weekday, date};
use jiff::tz::Offset;
use mlua::{Function, Lua};
use ratelimit::Limit;
use ratelimit::per::Calendar;

/// The last day to check. The times that Lua can represent in microseconds end in June 2255.
const LAST: Date = date(2255, 5, 1);

/// The first day of the next week or month.
fn first_after(window: &str, day: Date) -> Date {
    match window {
        "week" => day.nth_weekday(1, Weekday::Monday).unwrap(),
        "month" => day.last_of_month().tomorrow().unwrap(),
        _ => day.tomorrow().unwrap(),
    }
}

/// The start of a day in ms since 1970.
fn start_of(day: Date, offset: Offset) -> i64 {
    offset.to_timestamp(day.at(0, 0, 0, 0)).unwrap().as_millisecond()
}

/// Returns `until_end(name, time_ms, now)` as the scripts compute it.
fn in_lua(lua: &Lua) -> Function {
    let text = format!(
        "local redis, ARGV, KEYS = {{ call = function() return {{ 0, 0 }} end }}, {{}}, {{}}
        {}
        return function(name, time_ms, now)
          NOW = now
          local limit = {{ name = name, count = 1, time_ms = time_ms, burst = 1, wait_ms = 0 }}
          implement(limit)
          return (select(3, limit.judge(0, 0, -now, 1)))
        end",
        parts()
    );
    lua.load(text).eval().unwrap()
}

struct Zone {
    offset: Offset,
    text: String,
    until_end: Function,
}

impl Zone {
    /// Asserts that the window that contains `now` lasts for `until_end` ms from then on.
    fn lasts(&self, calendar: Calendar, now: i64, until_end: i64) {
        if now < 0 {
            return;
        }
        let limit = Limit::calendar(1, calendar).zone(&self.text);
        let found = limit.at(limit.window().unwrap(), now.unsigned_abs()).time_ms();
        assert_eq!(found, until_end.unsigned_abs(), "{calendar:?} {} at {now}", self.text);
    }

    fn lasts_in_lua(&self, calendar: Calendar, now: i64, until_end: i64) {
        if now < 0 {
            return;
        }
        let time_ms = 1000 * i64::from(self.offset.seconds()) + 86_400_000;
        let found: i64 =
            self.until_end.call((format!("counter_{}", calendar.as_str()), time_ms, now)).unwrap();
        assert_eq!(found, until_end, "{calendar:?} {} at {now}", self.text);
    }

    /// Checks the window that ends when this day begins, and the next window.
    fn ends(&self, calendar: Calendar, day: Date) {
        let end = start_of(day, self.offset);
        let next = start_of(first_after(calendar.as_str(), day), self.offset);
        for (now, until_end) in [(end - 1, 1), (end, next - end), (end + 3_456_789, next - end - 3_456_789)] {
            self.lasts(calendar, now, until_end);
            if calendar != Calendar::Day || day.weekday() == Weekday::Monday {
                self.lasts_in_lua(calendar, now, until_end);
            }
        }
    }
}

#[test]
fn every_boundary_is_that_of_the_calendar() {
    let lua = Lua::new();
    // Checking all zones takes half a minute. An ordinary run checks three zones, which its seed selects. The soak checks all.
    let (first, step) = if is_soak() { (0, 1) } else { (i32::try_from(seed() % 9).unwrap(), 9) };
    for hours in (first - 12..=14).step_by(step) {
        let text = format!("{}{:02}:00", if hours < 0 { '-' } else { '+' }, i32::abs(hours));
        let offset = Offset::from_hours(i8::try_from(hours).unwrap()).unwrap();
        let zone = Zone { offset, text, until_end: in_lua(&lua) };
        let mut day = date(1970, 1, 2);
        while day < LAST {
            zone.ends(Calendar::Day, day);
            if day.weekday() == Weekday::Monday {
                zone.ends(Calendar::Week, day);
                let hour = start_of(day, offset);
                for (now, until_end) in [(hour - 1, 1), (hour, 3_600_000)] {
                    zone.lasts(Calendar::Hour, now, until_end);
                    zone.lasts_in_lua(Calendar::Hour, now, until_end);
                }
            }
            if day.day() == 1 {
                zone.ends(Calendar::Month, day);
            }
            day = day.tomorrow().unwrap();
        }
    }
}
