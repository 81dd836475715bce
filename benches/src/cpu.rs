//! The CPU time of the current thread, of this process, and of a server.

use std::error::Error;
use std::fs;
use std::time::Instant;

/// Measures the CPU time of this thread.
pub(crate) struct Stopwatch {
    wall: Instant,
    cpu: Option<f64>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        let cpu = own_thread();
        Self { wall: Instant::now(), cpu }
    }

    /// Returns the CPU time in ns since the start, or the elapsed time if the system does not report CPU time.
    pub(crate) fn nanos(&self) -> f64 {
        let wall = self.wall.elapsed().as_secs_f64() * 1e9;
        self.cpu.zip(own_thread()).map_or(wall, |(before, after)| after - before)
    }
}

/// Returns the CPU time of the current thread in ns. Linux updates this time when the thread yields. `None` on other
/// systems.
fn own_thread() -> Option<f64> {
    std::thread::yield_now();
    first_number("/proc/thread-self/schedstat")
}

/// Returns the CPU time in seconds of the live threads of this process, or `NaN` without `/proc`.
pub(crate) fn process() -> f64 {
    std::thread::yield_now();
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return f64::NAN };
    threads.flatten().filter_map(|thread| first_number(thread.path().join("schedstat"))).sum::<f64>() / 1e9
}

fn first_number(file: impl AsRef<std::path::Path>) -> Option<f64> {
    fs::read_to_string(file).ok()?.split_whitespace().next()?.parse().ok()
}

/// Returns the CPU time of all these servers together, in seconds.
pub(crate) fn servers(connections: &mut [redis::Connection]) -> Result<f64, Box<dyn Error>> {
    let mut seconds = 0.0;
    for connection in connections {
        let info: String = redis::cmd("INFO").arg("cpu").query(connection)?;
        for name in ["used_cpu_user", "used_cpu_sys"] {
            seconds += field(&info, name).ok_or("INFO contains no CPU time")?.parse::<f64>()?;
        }
    }
    Ok(seconds)
}

/// Returns the name and the version of a server.
pub(crate) fn server_name(connection: &mut redis::Connection) -> Result<String, Box<dyn Error>> {
    let info: String = redis::cmd("INFO").arg("server").query(connection)?;
    let valkey = field(&info, "valkey_version").map(|version| format!("Valkey {version}"));
    let redis = || Some(format!("Redis {}", field(&info, "redis_version")?));
    valkey.or_else(redis).ok_or_else(|| "INFO contains no version".into())
}

/// Returns the value of a field in the text of `INFO`. `None` if the field does not exist.
pub(crate) fn field<'i>(info: &'i str, name: &str) -> Option<&'i str> {
    info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let info = "# Server\r\nredis_version_long:1\r\nredis_version:7.0.15\r\n";
        assert_eq!(field(info, "redis_version"), Some("7.0.15"));
        assert_eq!(field(info, "redis"), None);
    }
}
