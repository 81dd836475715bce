//! Windows of the calendar, counted from December 1969 on.

const DAY_MS: i64 = 86_400_000;
/// Monday, 29 December 1969.
const FIRST_WEEK: i64 = -3 * DAY_MS;
/// 1 December 1969.
const FIRST_MONTH: i64 = -31 * DAY_MS;

/// Converts an offset such as `+01:00` to ms.
pub fn offset(text: &str) -> i64 {
    let (hours, minutes) = text[1..].split_once(':').unwrap();
    let minutes = 60 * hours.parse::<i64>().unwrap() + minutes.parse::<i64>().unwrap();
    60_000 * if text.starts_with('-') { -minutes } else { minutes }
}

/// The end of the window that contains `now`. Both times are in ms since 1970.
pub(super) fn end_of(window: &str, offset: i64, now: u64) -> u64 {
    let now = i64::try_from(now).unwrap() + offset;
    let after = |first: i64, length: i64| now + length - (now - first).rem_euclid(length);
    let end = match window {
        "hour" => after(0, DAY_MS / 24),
        "day" => after(0, DAY_MS),
        "week" => after(FIRST_WEEK, 7 * DAY_MS),
        _ => {
            let mut months = (11..).map(|month| DAY_MS * days_of(1969 + month / 12, month % 12));
            let mut end = FIRST_MONTH;
            while end <= now {
                end += months.next().unwrap();
            }
            end
        }
    };
    u64::try_from(end - offset).unwrap()
}

/// January is 0.
fn days_of(year: i64, month: i64) -> i64 {
    match month {
        1 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}
