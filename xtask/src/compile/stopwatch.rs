//! Stopwatch for child processes: measures elapsed time and CPU time. Other work on the machine disturbs CPU time less than
//! elapsed time.

use std::fmt;
use std::fs;
use std::time::Instant;

/// The start of a measurement.
pub(crate) struct Stopwatch {
    clock: Instant,
    cpu: Option<f64>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { clock: Instant::now(), cpu: cpu_of_children() }
    }
}

/// The measured seconds of each round.
#[derive(Default)]
pub(crate) struct Figures {
    clock: Vec<f64>,
    cpu: Vec<f64>,
}

impl Figures {
    /// Runs one round, and adds its time.
    pub(crate) fn add(
        &mut self,
        stopwatch: &Stopwatch,
        round: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        round()?;
        self.clock.push(stopwatch.clock.elapsed().as_secs_f64());
        self.cpu.extend(stopwatch.cpu.zip(cpu_of_children()).map(|(before, after)| after - before));
        Ok(())
    }

    /// The median in seconds, of CPU time if it is known, otherwise of elapsed time.
    pub(crate) fn median(&self) -> f64 {
        median(if self.cpu.is_empty() { &self.clock } else { &self.cpu })
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = [("CPU", &self.cpu), ("clock", &self.clock)];
        for (name, figures) in shown.into_iter().filter(|(_, figures)| !figures.is_empty()) {
            let low = figures.iter().copied().fold(f64::MAX, f64::min);
            let high = figures.iter().copied().fold(0.0, f64::max);
            write!(f, "{:>8.2} s {name} ({low:.2} to {high:.2})", median(figures))?;
        }
        Ok(())
    }
}

fn median(figures: &[f64]) -> f64 {
    let mut figures = figures.to_vec();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The CPU time in seconds of all finished child processes and their children. `None` on other systems than Linux.
fn cpu_of_children() -> Option<f64> {
    cpu_in(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// Reads fields 16 and 17 of `/proc/self/stat`, in hundredths of a second, and returns their sum in seconds. The second field is
/// in parentheses and may contain spaces, so fields are counted from the last parenthesis.
fn cpu_in(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(13);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::{Figures, Stopwatch, cpu_in};

    #[test]
    fn the_time_of_children_is_found_after_any_process_name() {
        let stat = "7 (a) b) S 1 1 1 0 -1 4194304 0 0 0 0 11 12 250 50 20 0 1";
        assert_eq!(cpu_in(stat), Some(3.0));
        assert_eq!(cpu_in("7 (a) S 1"), None);
    }

    #[test]
    fn the_median_is_of_cpu_time_if_it_is_known() {
        let figures = Figures { clock: vec![9.0, 8.0, 7.0], cpu: vec![3.0, 1.0, 2.0] };
        assert!((figures.median() - 2.0).abs() < 1e-9);
        assert_eq!(figures.to_string(), "    2.00 s CPU (1.00 to 3.00)    8.00 s clock (7.00 to 9.00)");
        assert!((Figures { cpu: Vec::new(), ..figures }.median() - 8.0).abs() < 1e-9);
    }

    #[test]
    fn a_failed_round_is_not_counted() {
        let mut figures = Figures::default();
        assert!(figures.add(&Stopwatch::start(), || Err("no".to_owned())).is_err());
        assert!(figures.median().is_nan());
    }
}
