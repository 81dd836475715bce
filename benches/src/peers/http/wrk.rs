//! Runs `wrk`, and reads what it reports.

use super::Load;
use std::error::Error;
use std::process::Command;

/// The results of a run of `wrk`.
pub(super) struct Served {
    pub(super) requests: f64,
    pub(super) per_second: f64,
    refused: f64,
}

/// Loads a server on loopback for `seconds` seconds, from one thread.
pub(super) fn load(port: u16, seconds: u32) -> Result<Served, Box<dyn Error>> {
    let (time, url) = (format!("-d{seconds}s"), format!("http://127.0.0.1:{port}/"));
    let output = Command::new("wrk").args(["-t1", "-c64", &time, &url]).output();
    let output =
        output.map_err(|error| format!("cannot start `wrk` ({error}); `cargo xtask bench` installs it"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    read(&text).ok_or_else(|| format!("`wrk` printed no result:\n{text}").into())
}

fn read(text: &str) -> Option<Served> {
    let line = |start: &str| text.lines().find_map(|line| line.trim().strip_prefix(start));
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let total = text.lines().find(|line| line.contains(" requests in "))?;
    Some(Served {
        requests: number(total.trim().split(' ').next()?)?,
        per_second: number(line("Requests/sec:")?)?,
        refused: line("Non-2xx or 3xx responses:").and_then(number).unwrap_or_default(),
    })
}

impl Served {
    /// Returns an error if the share of refused requests does not fit the load, because the run has then measured something
    /// else.
    pub(super) fn check(&self, load: Load) -> Result<(), Box<dyn Error>> {
        let share = self.refused / self.requests;
        let is_right = match load {
            Load::Passed => self.refused == 0.0,
            Load::Refused => share > 0.99,
        };
        if is_right {
            Ok(())
        } else {
            Err(format!("{:.1} % of the requests were refused", share * 100.0).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_report_is_read() {
        let report = "Running 1s test @ http://127.0.0.1:1/\n  1 threads and 64 connections\n  123456 requests in 1.10s, 9.17MB read\n  \
                      Non-2xx or 3xx responses: 123455\nRequests/sec: 112233.44\nTransfer/sec:      8.33MB\n";
        let served = read(report).unwrap();
        assert_eq!([served.requests, served.per_second, served.refused], [123_456.0, 112_233.44, 123_455.0]);
        assert!(read("unable to connect").is_none());
    }
}
