//! The options that choose the traffic: simulated arrivals, or a log.

use crate::simulate::rate::Rate;
use crate::simulate::time::{self, DAY, MINUTE};
use crate::simulate::traffic::log::{By, Selection, Status};
use crate::simulate::traffic::{Arrivals, Burst, MOST_CALLERS};
use clap::builder::RangedU64ValueParser;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Traffic")]
pub(crate) struct TrafficOptions {
    /// Evenly spaced calls: calls per s, min, h, day or a length such as 15m
    #[arg(long, value_name = "RATE")]
    pub(crate) steady: Option<Rate>,

    /// So many calls at once, at the start
    #[arg(long, value_name = "CALLS", value_parser = RangedU64ValueParser::<u64>::new().range(1..=10_000_000))]
    pub(crate) burst: Option<u64>,

    /// Repeats the burst after this time, such as 30s
    #[arg(long, value_name = "TIME", requires = "burst", value_parser = time::read)]
    pub(crate) every: Option<u64>,

    /// Independent random calls at a constant rate, such as 90/min
    #[arg(long, value_name = "RATE")]
    pub(crate) poisson: Option<Rate>,

    /// Random calls on a daily curve, with the least traffic at 4 h and the most at 16 h
    #[arg(long, value_name = "RATE")]
    pub(crate) daily: Option<Rate>,

    /// An access log in the combined or common format, or a table as CSV whose first line names the columns `time` and
    /// `caller`, and also `calls` and `seconds` if a row stands for several calls; `-` reads the standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["steady", "burst", "poisson", "daily", "callers", "skew", "length", "seed"])]
    pub(crate) log: Option<PathBuf>,

    /// Who is limited in a log
    #[arg(long, value_name = "WHO", requires = "log", default_value = "address", value_enum)]
    pub(crate) by: By,

    /// Only lines of the log whose path begins with this
    #[arg(long, value_name = "PREFIX", requires = "log")]
    pub(crate) path: Option<String>,

    /// Only lines of the log with one of these statuses, such as `401,403` or `4xx`: for a limit that counts failures only
    #[arg(long, value_name = "STATUS", requires = "log", value_delimiter = ',')]
    pub(crate) status: Vec<Status>,

    /// The number of callers that make the simulated calls together; each has its own limit
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_CALLERS)))]
    pub(crate) callers: u32,

    /// How unequal the callers are: the n-th caller has the weight 1/n^SKEW, from 0 to 5
    #[arg(long, default_value_t = 1.0, value_parser = skew)]
    pub(crate) skew: f64,

    /// The simulated time [default: 10m, with --daily 1d]
    #[arg(long = "for", value_name = "TIME", value_parser = time::read)]
    pub(crate) length: Option<u64>,

    /// Repeats and changes random traffic
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// The units that each call takes
    #[arg(long, value_name = "UNITS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) cost: u32,

    /// How long each call runs and holds its permit; for concurrency limits
    #[arg(long, value_name = "TIME", value_parser = time::read)]
    pub(crate) hold: Option<u64>,
}

fn skew(text: &str) -> Result<f64, String> {
    let skew = text.parse().ok().filter(|skew| (0.0..=5.0).contains(skew));
    skew.ok_or_else(|| format!("`{text}` is not a skew; expected a number from 0 to 5"))
}

impl TrafficOptions {
    pub(crate) fn selection(&self) -> Selection {
        Selection { by: self.by, path: self.path.clone(), statuses: self.status.clone() }
    }

    /// What arrives if there is no log.
    pub(crate) fn arrivals(&self) -> Arrivals {
        let burst = self.burst.map(|calls| Burst { calls, every: self.every });
        let given = Arrivals { steady: self.steady, burst, poisson: self.poisson, daily: self.daily };
        if given.is_empty() {
            Arrivals { poisson: Some(Rate { calls: 120, per: MINUTE }), ..given }
        } else {
            given
        }
    }

    /// The simulated time in microseconds if there is no log.
    pub(crate) fn length(&self) -> u64 {
        self.length.unwrap_or(if self.daily.is_some() { DAY } else { 10 * MINUTE })
    }
}
