//! The upper bounds of histogram buckets, for exporters whose default bounds do not fit.

use ratelimit::observe::Metric;

/// The bounds for times: from a tenth of a millisecond to some seconds.
const SECONDS: [f64; 14] =
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];
/// The bounds for the requests of a script call. A batch has at most 128 requests.
const REQUESTS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

/// Returns the buckets of a histogram.
pub(crate) fn of(metric: &Metric) -> &'static [f64] {
    if metric.unit == "s" { &SECONDS } else { &REQUESTS }
}
