//! Reads lengths of time. The page *Try a limit* also compiles this file, so the file uses no other module of the command.

use ratelimit::Limit;
use std::time::Duration;

/// Reads a length of time such as `10m` or `1h30m`, from 1 ms to 366 days, in the form of `time` in the text of a limit.
pub(crate) fn length(text: &str) -> Result<Duration, String> {
    if text.contains(char::is_whitespace) {
        return Err(format!("`{text}` has a space; write a length of time as `1h30m`"));
    }
    let limit: Limit =
        format!("counter count=1 time={text}").parse().map_err(|error: ratelimit::ParseLimitError| {
            error.to_string().replace("`time`", "a length of time")
        })?;
    if limit.calendar_window().is_some() {
        return Err(format!("`{text}` is a window of the calendar; write a length of time as `24h`"));
    }
    Ok(limit.time())
}
