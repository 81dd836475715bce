//! A histogram of latencies with a fixed size and an error of at most 1.6 %.

use std::time::Duration;

/// The number of buckets for each power of two, as a power of two.
const BITS: u32 = 6;
const BUCKETS: usize = 64 << BITS;

/// Counts latencies.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    counts: Box<[u64]>,
    total: u64,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS].into(), total: 0, max: 0 }
    }
}

impl Histogram {
    pub(crate) fn add(&mut self, latency: Duration) {
        let ns = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        self.counts[bucket(ns)] += 1;
        self.total += 1;
        self.max = self.max.max(ns);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        self.total += other.total;
        self.max = self.max.max(other.max);
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The latency that a share of the calls does not exceed, in thousandths.
    pub(crate) fn percentile(&self, thousandths: u64) -> Duration {
        let rank = (self.total * thousandths).div_ceil(1000).max(1);
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Duration::from_nanos(upper_end(bucket).min(self.max));
            }
        }
        Duration::ZERO
    }
}

fn bucket(ns: u64) -> usize {
    let shift = (u64::BITS - ns.leading_zeros()).saturating_sub(BITS + 1);
    // The first bits of the number are at least half of the buckets of its power of two.
    let first_bits = usize::try_from(ns >> shift).unwrap_or(usize::MAX);
    ((shift as usize) << BITS) + first_bits
}

/// The largest number in a bucket.
fn upper_end(bucket: usize) -> u64 {
    let shift = (bucket >> BITS).saturating_sub(1);
    let first_bits = (bucket - (shift << BITS)) as u64;
    ((first_bits + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_small() {
        for ns in (0..5000).chain((1..40).map(|power| (1_u64 << power) + 3)).chain([3_600_000_000_000]) {
            let (shown, ns) = (upper_end(bucket(ns)), ns);
            assert!(shown >= ns && shown - ns <= ns / 63, "{ns} is shown as {shown}");
        }
        assert!(bucket(u64::MAX) < BUCKETS);
    }

    #[test]
    fn percentiles_are_ranks() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.percentile(500), Duration::ZERO);
        for us in 1..=1000 {
            histogram.add(Duration::from_nanos(us));
        }
        let ns = |thousandths| histogram.percentile(thousandths).as_nanos();
        assert!((495..=510).contains(&ns(500)) && (985..=1000).contains(&ns(990)), "{} {}", ns(500), ns(990));
        assert_eq!((ns(1000), histogram.total()), (1000, 1000));
        let mut twice = histogram.clone();
        twice.merge(&histogram);
        assert_eq!((twice.total(), twice.percentile(500)), (2000, histogram.percentile(500)));
    }
}
