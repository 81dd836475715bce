//! Arrivals: the times of simulated calls, which are evenly spaced, in bursts, or random.

use super::call::{Call, MOST_CALLS, Traffic};
use super::callers::{MOST_CALLERS, chosen, numbered};
use super::origin::Origin;
use crate::simulate::numbers::{float, whole};
use crate::simulate::rate::Rate;
use crate::simulate::time;
use clap::builder::RangedU64ValueParser;
use fastrand::Rng;

/// The kinds of arrivals, which may be combined: each kind adds calls to the same traffic. Times are in microseconds.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Arrivals {
    /// Evenly spaced calls: calls per s, min, h, day or a length such as 15m
    #[arg(long, value_name = "RATE")]
    steady: Option<Rate>,
    /// This number of calls at once, at the start
    #[arg(long, value_name = "CALLS", value_parser = RangedU64ValueParser::<u64>::new().range(1..=10_000_000))]
    burst: Option<u64>,
    /// Repeats the burst after this time, such as 30s
    #[arg(long, value_name = "TIME", requires = "burst", value_parser = time::read)]
    every: Option<u64>,
    /// Independent random calls at a constant rate, such as 90/min
    #[arg(long, value_name = "RATE")]
    poisson: Option<Rate>,
    /// The number of callers that make the simulated calls together; each has its own limit
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_CALLERS)))]
    callers: u32,
    /// The inequality of the callers, from 0 to 5: the n-th caller has the weight 1/n^SKEW
    #[arg(long, default_value_t = 1.0, value_parser = skew)]
    skew: f64,
    /// The simulated time
    #[arg(long = "for", value_name = "TIME", default_value = "10m", value_parser = time::read)]
    length: u64,
    /// The seed of random traffic: the same seed gives the same traffic
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn skew(text: &str) -> Result<f64, String> {
    let skew = text.parse().ok().filter(|skew| (0.0..=5.0).contains(skew));
    skew.ok_or_else(|| format!("`{text}` is not a skew; expected a number from 0 to 5"))
}

impl Arrivals {
    /// The time between two bursts. For a single burst, it is the whole simulated time.
    fn every(&self) -> u64 {
        self.every.unwrap_or(self.length)
    }

    /// The expected number of calls.
    fn expected(&self) -> u64 {
        let bursts = self.burst.unwrap_or(0).saturating_mul(self.length.div_ceil(self.every()));
        let rates = self.steady.iter().chain(&self.poisson);
        rates.map(|rate| rate.calls_in(self.length)).fold(bursts, u64::saturating_add)
    }

    /// The times of all calls before the end of the traffic, in order, in microseconds.
    ///
    /// # Errors
    ///
    /// If there are more than [`MOST_CALLS`].
    fn times(&self, random: &mut Rng) -> Result<Vec<u64>, String> {
        let (length, expected) = (self.length, self.expected());
        if expected > MOST_CALLS {
            return Err(format!(
                "this traffic has {expected} calls; expected at most {MOST_CALLS}: shorten `--for` or lower the rate"
            ));
        }
        let mut times = Vec::new();
        if let Some(rate) = &self.steady {
            times.extend((0..).map(|call| rate.time_of(call)).take_while(|time| *time < length));
        }
        if let Some(calls) = self.burst {
            for number in 0..length.div_ceil(self.every()) {
                times.extend((0..calls).map(|_| number * self.every()));
            }
        }
        if let Some(rate) = &self.poisson {
            times.extend(random_times(rate, random).take_while(|time| *time < length));
        }
        times.sort_unstable();
        Ok(times)
    }

    /// Makes traffic. If no kind of arrivals is given, calls arrive at random.
    ///
    /// # Errors
    ///
    /// If there are no calls, or more than [`MOST_CALLS`].
    pub(crate) fn traffic(mut self) -> Result<Traffic, String> {
        if self.steady.is_none() && self.burst.is_none() && self.poisson.is_none() {
            self.poisson = Some("120/min".parse()?);
        }
        // Arrivals and callers use separate random numbers, so that the number of callers does not change the times.
        let mut random = Rng::with_seed(self.seed);
        let chosen = chosen(self.callers, self.skew, random.fork());
        let times = self.times(&mut random)?;
        let shown = time::show(self.length);
        if times.is_empty() {
            return Err(format!("there is no call within {shown}; raise the rate or lengthen `--for`"));
        }
        let calls: Vec<Call> =
            times.into_iter().zip(chosen).map(|(at, caller)| Call { at, caller }).collect();
        let who = if self.callers == 1 { "1 caller".to_owned() } else { format!("{} callers", self.callers) };
        let words = format!("{} for {shown}, {who}", self.words());
        let callers = numbered(self.callers);
        let (length, spent, notes) = (self.length, Vec::new(), Vec::new());
        Ok(Traffic { words, calls, spent, callers, length, origin: Origin::Zero, notes })
    }

    fn words(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.steady.iter().map(|rate| format!("{} evenly spaced", rate.text)));
        words.extend(self.burst.map(|calls| match self.every {
            Some(every) => format!("bursts of {calls} every {}", time::show(every)),
            None => format!("a burst of {calls}"),
        }));
        words.extend(self.poisson.iter().map(|rate| format!("{} at random", rate.text)));
        words.join(" and ")
    }
}

/// The times of independent random calls.
fn random_times(rate: &Rate, random: &mut Rng) -> impl Iterator<Item = u64> {
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
    use crate::simulate::time::SECOND;

    #[derive(clap::Parser)]
    struct Options {
        #[command(flatten)]
        arrivals: Arrivals,
    }

    fn arrivals(options: &str) -> Arrivals {
        let words = ["simulate"].into_iter().chain(options.split(' '));
        <Options as clap::Parser>::try_parse_from(words).unwrap().arrivals
    }

    fn times(arrivals: &Arrivals) -> Vec<u64> {
        arrivals.times(&mut Rng::with_seed(7)).unwrap()
    }

    #[test]
    fn steady_calls_and_bursts_are_at_exact_times() {
        let both = arrivals("--steady 4/min --burst 3 --every 30s --for 1m");
        let seconds = [0, 0, 0, 0, 15, 30, 30, 30, 30, 45].map(|second| second * SECOND);
        assert_eq!(times(&both), seconds);
        assert_eq!(both.words(), "4/min evenly spaced and bursts of 3 every 30s");
        assert_eq!(times(&arrivals("--burst 2 --for 1m")), [0, 0]);
    }

    #[test]
    fn random_calls_have_their_rate_and_repeat_with_the_seed() {
        let arrivals = arrivals("--poisson 100/s --for 100s");
        let found = times(&arrivals);
        assert!(found.len().abs_diff(10_000) < 300, "{}", found.len());
        assert!(found.is_sorted() && found == times(&arrivals));
    }

    #[test]
    fn traffic_that_does_not_fit_into_memory_is_refused() {
        let error = arrivals("--steady 1000/s --for 1d").traffic().unwrap_err();
        assert!(error.contains("86400000 calls") && error.contains("--for"), "{error}");
    }
}
