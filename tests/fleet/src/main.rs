//! Runs many seeds: `fleet [FIRST] [NUMBER]`.

use std::time::{Duration, Instant};

fn main() {
    let number = |at: usize| std::env::args().nth(at).and_then(|text| text.parse().ok());
    let (first, seeds): (u64, u64) = (number(1).unwrap_or(0), number(2).unwrap_or(1));
    let (start, mut simulated, mut calls, mut failed) = (Instant::now(), Duration::ZERO, 0, 0);
    for seed in first..first + seeds {
        let run = fleet::run(seed);
        simulated += run.simulated;
        calls += run.calls;
        if seeds == 1 {
            println!("{}", run.log);
        }
        if !run.broken.is_empty() {
            failed += 1;
            println!("seed {seed}:");
            run.broken.iter().take(3).for_each(|promise| println!("  {promise}"));
        }
    }
    let years = simulated.as_secs_f64() / 86_400.0 / 365.25;
    println!("{seeds} seeds, {calls} calls, {years:.2} years in {:.1?}; {failed} failed", start.elapsed());
}
