//! `ratelimit bench`: decisions per second and their latency, on the user's own server.

mod load;

use crate::exit::{Exit, Failure};
use crate::output::{Align, Output, Table, note, number, print, print_json, progress, share};
use crate::session::{Session, builder};
use clap::Args;
use futures_util::future::join_all;
use load::{Load, Measured};
use ratelimit::store::Store as _;
use ratelimit::{Algorithm, Key, Limit, RateLimiter};
use serde_json::{Value, json};
use std::time::Duration;

/// Measure decisions per second and their latency on your own server, through the library
///
/// Each step has more callers at once, and each caller asks again as soon as it has a decision. The keys have a separate prefix
/// and are deleted at the end. The load is real: other clients of the server are slower meanwhile.
#[derive(Args, Debug)]
pub(crate) struct Bench {
    /// The time of each step in seconds
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=600))]
    seconds: u16,
    /// The number of callers in each step
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16, 256], value_parser = clap::value_parser!(u32).range(1..=10_000))]
    callers: Vec<u32>,
    /// The number of identities, each with a separate key
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    keys: u32,
    /// The limit to decide by; with a small `count`, most calls are refused
    #[arg(long, default_value = "token_bucket count=1000 time=1s")]
    limit: Limit,
}

pub(crate) async fn run(bench: &Bench, session: &Session) -> Result<Exit, Failure> {
    if bench.limit.algorithm() == Algorithm::Concurrency {
        return Err(Failure::usage(
            "a concurrency limit holds permits; `bench` measures limits that are charged",
        ));
    }
    // A user with permissions for the prefix may use these keys. Services do not use them.
    let prefix = format!("{}:bench-{:08x}", session.prefix, fastrand::u32(..));
    let limiter = builder(&session.store, &prefix).connect().await.map_err(Failure::usage)?;
    // The first decision connects, and sends the scripts.
    let _ = limiter.peek(&bench.limit, Key::new("bench")).await?;
    let measured = steps(bench, &limiter, session).await;
    let cleaned = clean_up(bench, &limiter, session).await;
    let measured = measured?;
    let partial = session.interrupt.is_set();
    if session.output.json {
        let steps: Vec<Value> = measured.iter().map(as_json).collect();
        let limit = bench.limit.to_string();
        print_json(&json!({ "limit": limit, "keys": bench.keys, "steps": steps, "partial": partial }))?;
    } else if measured.iter().any(|step| step.decisions() > 0) {
        print(as_text(bench, &measured, session.output))?;
    }
    if let Some(error) = measured.iter().find_map(|step| step.error.as_deref()) {
        cleaned.err().into_iter().for_each(note);
        return Err(Failure::server(format!("some calls were not decided: {error}")));
    }
    cleaned?;
    if partial {
        note("interrupted: later steps did not run; all keys of the benchmark are deleted");
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Success)
}

async fn steps(bench: &Bench, limiter: &RateLimiter, session: &Session) -> Result<Vec<Measured>, Failure> {
    let progress = progress();
    let mut measured = Vec::new();
    for callers in &bench.callers {
        if session.interrupt.is_set() {
            break;
        }
        let load = Load {
            limiter: limiter.clone(),
            limit: bench.limit,
            keys: bench.keys,
            callers: *callers,
            time: Duration::from_secs(bench.seconds.into()),
        };
        measured.push(load.run(session, &progress).await?);
    }
    Ok(measured)
}

/// Deletes all keys that the callers have used.
async fn clean_up(bench: &Bench, limiter: &RateLimiter, session: &Session) -> Result<(), Failure> {
    const AT_ONCE: usize = 500;
    let keys: Vec<u32> = (0..bench.keys).collect();
    for some in keys.chunks(AT_ONCE) {
        let keys = some.iter().map(|key| limiter.store_key(load::key(*key), bench.limit.algorithm()));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        for deleted in join_all(keys.iter().map(|key| session.store.reset(std::slice::from_ref(key)))).await {
            deleted.map_err(|error| {
                Failure::server(format!("the keys of the benchmark remain until they expire: {error}"))
            })?;
        }
    }
    Ok(())
}

fn as_text(bench: &Bench, measured: &[Measured], output: Output) -> String {
    let titles = ["CALLERS", "DECISIONS/S", "REFUSED", "P50", "P90", "P99", "P99.9", "MAX"];
    let mut table = Table::new(titles.map(|title| (title, Align::Right)));
    for step in measured {
        let numbers = [number(step.callers.into()), number(step.per_second()), share(step.refused_share())];
        table.row(numbers.into_iter().chain(step.percentiles().map(latency)));
    }
    format!("{}, {} identities\n\n{}", bench.limit, number(bench.keys.into()), table.render(output))
}

/// A latency with three digits.
fn latency(us: u64) -> String {
    if us < 1000 { format!("{us} µs") } else { format!("{}.{:02} ms", us / 1000, us % 1000 / 10) }
}

fn as_json(step: &Measured) -> Value {
    let [p50, p90, p99, p999, max] = step.percentiles();
    json!({
        "callers": step.callers,
        "seconds": step.time.as_secs_f64(),
        "decisions": step.decisions(),
        "decisions_per_second": step.per_second(),
        "refused": step.refused,
        "failed": step.failed,
        "latency_us": { "p50": p50, "p90": p90, "p99": p99, "p99_9": p999, "max": max },
    })
}
