//! Generates the calls of many processes. Their rates follow Zipf's law, the total load changes in phases, and the busiest
//! processes change.

use fastrand::Rng;

/// The phases of a round. Each pair has the millisecond at which the phase ends, and the load as a multiple of the limit.
const PHASES: [(u32, f64); 4] = [(1500, 1.6), (2900, 0.25), (3900, 0.95), (4000, 15.0)];
pub(crate) const ROUND: u32 = PHASES[3].0;

/// The interval in milliseconds after which other processes become the busiest.
const ORDER: u32 = 500;

/// For each millisecond, the processes that make its calls.
pub(crate) struct Traffic {
    pub(crate) processes: usize,
    pub(crate) calls: Vec<Vec<usize>>,
}

impl Traffic {
    /// Generates calls for a limit of `per_second` calls per second.
    pub(crate) fn new(processes: usize, per_second: u32, ms: u32, seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let shares = shares(processes);
        let mut order: Vec<usize> = (0..processes).collect();
        let calls = (0..ms).map(|now| {
            if now.is_multiple_of(ORDER) {
                random.shuffle(&mut order);
            }
            let due = f64::from(per_second) / 1000.0 * demand(now % ROUND);
            let caller = |random: &mut Rng| order[rank(&shares, random.f64())];
            (0..around(due, &mut random)).map(|_| caller(&mut random)).collect()
        });
        Self { processes, calls: calls.collect() }
    }
}

fn demand(moment: u32) -> f64 {
    PHASES.iter().find(|(end, _)| moment < *end).map_or(0.0, |(_, demand)| *demand)
}

/// Returns the cumulative shares of the ranks. The share of a rank is proportional to its inverse.
fn shares(processes: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let sums: Vec<f64> = (1_u32..)
        .take(processes)
        .map(|rank| {
            sum += 1.0 / f64::from(rank);
            sum
        })
        .collect();
    sums.into_iter().map(|part| part / sum).collect()
}

fn rank(shares: &[f64], at: f64) -> usize {
    shares.partition_point(|share| *share < at).min(shares.len() - 1)
}

/// Returns a random number of independent calls with the given mean (Poisson distribution).
fn around(mean: f64, random: &mut Rng) -> u32 {
    let (mut number, mut left) = (0, mean);
    loop {
        // The time to the next call is exponentially distributed with mean 1.
        left += (1.0 - random.f64()).ln();
        if left < 0.0 {
            return number;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_calls_and_the_mean_is_right() {
        let traffic = |seed| Traffic::new(100, 10_000, ROUND, seed).calls;
        assert_eq!(traffic(1), traffic(1));
        assert_ne!(traffic(1), traffic(2));
        let calls: usize = traffic(1).iter().map(Vec::len).sum();
        assert!((51_600..52_800).contains(&calls), "{calls} calls in four seconds");
    }

    #[test]
    fn the_first_calls_ten_times_as_often_as_the_tenth() {
        let shares = shares(1000);
        let of = |rank: usize| shares[rank] - shares[rank - 1];
        assert!((shares[0] / of(9) - 10.0).abs() < 1e-9 && (shares[999] - 1.0).abs() < 1e-9);
    }
}
