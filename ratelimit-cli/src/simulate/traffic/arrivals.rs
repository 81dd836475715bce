//! Arrivals: the times of simulated calls, which are evenly spaced, in bursts, or random.

use super::call::{Call, MOST_CALLS, Traffic};
use super::callers::{Callers, Skew};
use super::origin::Origin;
use crate::simulate::numbers::{float, whole};
use crate::simulate::rate::Rate;
use crate::simulate::time;
use fastrand::Rng;

/// The kinds of arrivals, which may be combined: all of them add calls to the same traffic.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arrivals {
    /// Evenly spaced, the first call at the start.
    pub(crate) steady: Option<Rate>,
    /// Calls at once, the first burst at the start.
    pub(crate) burst: Option<Burst>,
    /// Independent calls at a constant rate.
    pub(crate) poisson: Option<Rate>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Burst {
    pub(crate) calls: u64,
    /// The time between two bursts in microseconds. `None`: there is one burst.
    pub(crate) every: Option<u64>,
}

impl Arrivals {
    pub(crate) fn is_empty(&self) -> bool {
        self.steady.is_none() && self.burst.is_none() && self.poisson.is_none()
    }

    /// The calls that are expected in a length of time.
    fn expected(&self, length: u64) -> u64 {
        let bursts = self.burst.map_or(0, |burst| {
            burst.calls.saturating_mul(burst.every.map_or(1, |every| length.div_ceil(every)))
        });
        let rates = [self.steady, self.poisson].into_iter().flatten();
        rates.map(|rate| rate.calls_in(length)).fold(bursts, u64::saturating_add)
    }

    /// The times of all calls before the end, in order, in microseconds.
    ///
    /// # Errors
    ///
    /// If there are more than [`MOST_CALLS`].
    fn times(&self, length: u64, random: &mut Rng) -> Result<Vec<u64>, String> {
        let expected = self.expected(length);
        if expected > MOST_CALLS {
            return Err(format!(
                "this traffic has {expected} calls; expected at most {MOST_CALLS}: shorten `--for` or lower the rate"
            ));
        }
        let mut times = Vec::new();
        if let Some(rate) = self.steady {
            times.extend((0..).map(|call| rate.time_of(call)).take_while(|time| *time < length));
        }
        if let Some(burst) = self.burst {
            let every = burst.every.unwrap_or(length).max(1);
            for start in (0..length.div_ceil(every)).map(|number| number * every) {
                times.extend((0..burst.calls).map(|_| start));
            }
        }
        if let Some(rate) = self.poisson {
            times.extend(random_times(rate, random).take_while(|time| *time < length));
        }
        times.sort_unstable();
        Ok(times)
    }

    /// Makes traffic. Callers are chosen at random, the `n`-th one with the weight `1 / n^skew`.
    ///
    /// # Errors
    ///
    /// If there are no calls, or more than [`MOST_CALLS`].
    pub(crate) fn traffic(&self, length: u64, callers: u32, skew: f64, seed: u64) -> Result<Traffic, String> {
        // Arrivals and callers have separate random numbers, so that the number of callers does not change the times.
        let mut random = Rng::with_seed(seed);
        let chosen = Skew::new(callers, skew, random.fork());
        let times = self.times(length, &mut random)?;
        let shown = time::show(length);
        if times.is_empty() {
            return Err(format!("there is no call within {shown}; raise the rate or lengthen `--for`"));
        }
        let calls: Vec<Call> =
            times.into_iter().zip(chosen).map(|(at, caller)| Call { at, caller }).collect();
        let who = if callers == 1 { "1 caller".to_owned() } else { format!("{callers} callers") };
        let words = format!("{} for {shown}, {who}", self.words());
        let callers = Callers::Numbered(callers);
        Ok(Traffic { words, calls, callers, length, origin: Origin::Zero, notes: Vec::new() })
    }

    fn words(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.steady.map(|rate| format!("{rate} evenly spaced")));
        words.extend(self.burst.map(|Burst { calls, every }| match every {
            Some(every) => format!("bursts of {calls} every {}", time::show(every)),
            None => format!("a burst of {calls}"),
        }));
        words.extend(self.poisson.map(|rate| format!("{rate} at random")));
        words.join(" and ")
    }
}

/// The times of independent calls.
fn random_times(rate: Rate, random: &mut Rng) -> impl Iterator<Item = u64> {
    let mean_gap = float(rate.per) / float(rate.calls);
    let mut now = 0.0;
    std::iter::repeat_with(move || {
        // `1 - f64()` is never 0, so its logarithm is finite.
        now -= (1.0 - random.f64()).ln() * mean_gap;
        whole(now)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::time::{DAY, MINUTE, SECOND};

    fn rate(text: &str) -> Rate {
        text.parse().unwrap()
    }

    fn times(arrivals: Arrivals, length: u64) -> Vec<u64> {
        arrivals.times(length, &mut Rng::with_seed(7)).unwrap()
    }

    #[test]
    fn steady_calls_and_bursts_are_at_exact_times() {
        let burst = Some(Burst { calls: 3, every: Some(30 * SECOND) });
        let arrivals = Arrivals { steady: Some(rate("4/min")), burst, ..Arrivals::default() };
        let seconds = [0, 0, 0, 0, 15, 30, 30, 30, 30, 45].map(|second| second * SECOND);
        assert_eq!(times(arrivals, MINUTE), seconds);
        assert_eq!(arrivals.words(), "4/min evenly spaced and bursts of 3 every 30s");
        let once = Arrivals { burst: Some(Burst { calls: 2, every: None }), ..Arrivals::default() };
        assert_eq!(times(once, MINUTE), [0, 0]);
    }

    #[test]
    fn random_calls_have_their_rate_and_repeat_with_the_seed() {
        let arrivals = Arrivals { poisson: Some(rate("100/s")), ..Arrivals::default() };
        let found = times(arrivals, 100 * SECOND);
        assert!(found.len().abs_diff(10_000) < 300, "{}", found.len());
        assert!(found.is_sorted() && found == times(arrivals, 100 * SECOND));
    }

    #[test]
    fn traffic_that_does_not_fit_into_memory_is_refused() {
        let arrivals = Arrivals { steady: Some(rate("1000/s")), ..Arrivals::default() };
        let error = arrivals.times(DAY, &mut Rng::with_seed(7)).unwrap_err();
        assert!(error.contains("86400000 calls") && error.contains("--for"), "{error}");
    }
}
