//! Measures decisions of the memory store on one hot key. The part `metrics` of the benchmarks runs this program.
//!
//! Usage: `ratelimit-observe-bench attribute|check bare|prometheus CALLS`. Prints the nanoseconds per decision. `prometheus`
//! installs the Prometheus recorder, and needs the feature `metrics`.

use ratelimit::{Limit, RateLimiter, Rejection, rate_limit};
use std::error::Error;
use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::process::ExitCode;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

#[rate_limit(key = "bench:hot", time = "1d", count = 4_000_000_000)]
async fn hot(n: u32) -> Result<u32, Rejection> {
    Ok(n)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match perform(&words.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(nanos) => {
            println!("{nanos:.2}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("ratelimit-observe-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn perform(words: &[&str]) -> Result<f64, Box<dyn Error>> {
    let [subject, recorder, calls] = words else {
        return Err("expected `attribute` or `check`, `bare` or `prometheus`, and a number of calls".into());
    };
    if *recorder == "prometheus" {
        install()?;
    }
    let calls: u32 = calls.parse()?;
    ratelimit::install(RateLimiter::in_memory())?;
    let limiter = RateLimiter::in_memory();
    let limit = Limit::counter(4_000_000_000, Duration::from_secs(86_400));
    let by_attribute = |n: u32| drop(black_box(now(hot(n))));
    let by_check = |_: u32| drop(black_box(now(limiter.check(&limit, "bench:hot"))));
    match *subject {
        "attribute" => Ok(measure(calls, by_attribute)),
        "check" => Ok(measure(calls, by_check)),
        other => Err(format!("unknown subject `{other}`; expected `attribute` or `check`").into()),
    }
}

/// The number of parts into which the measured calls are divided.
const PARTS: u32 = 20;

/// Returns the nanoseconds per call: the median of the parts, so that short disturbances have no effect. The first part is
/// not measured, because it runs all code for the first time.
fn measure(calls: u32, call: impl Fn(u32)) -> f64 {
    let calls = calls / PARTS + 1;
    (0..calls).for_each(&call);
    let mut parts = [0.0; PARTS as usize];
    for part in &mut parts {
        let start = Instant::now();
        (0..calls).for_each(&call);
        *part = start.elapsed().as_secs_f64() * 1e9 / f64::from(calls);
    }
    parts.sort_by(f64::total_cmp);
    parts[parts.len() / 2]
}

#[cfg(feature = "metrics")]
fn install() -> Result<(), Box<dyn Error>> {
    metrics_exporter_prometheus::PrometheusBuilder::new().install_recorder()?;
    Ok(())
}

#[cfg(not(feature = "metrics"))]
fn install() -> Result<(), Box<dyn Error>> {
    Err("the recorder needs the feature `metrics`".into())
}

/// Runs a future that is ready at the first poll, as all futures of the memory store are.
fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("the memory store is ready at once"),
    }
}
