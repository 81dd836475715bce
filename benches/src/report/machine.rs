//! Describes the machine and the day of a measurement.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the day, the system, the cores, the processor and the load average.
pub(crate) fn description() -> String {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let model = field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown").to_owned();
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let (year, month, day) = date(since / 86_400);
    format!(
        "{year}-{month:02}-{day:02}, {} with {cores} cores ({model}), load average {load} before",
        if cfg!(target_os = "linux") { "Linux" } else { std::env::consts::OS }
    )
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim_start_matches([' ', '\t', ':']).to_owned())
}

/// Returns the date that is `days` days after 1970-01-01, in UTC. Counts years from March, so that a leap day is the last
/// day of a year.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468; // days since March of year 0
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = era * 400 + year + u64::from(month > 9);
    (year, if month > 9 { month - 9 } else { month + 3 }, day)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_are_dates() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(20_778), (2026, 11, 21));
        assert_eq!(date(20_454), (2026, 1, 1));
    }
}
