//! `ratelimit bench`: decisions per second and their latency, on the user's own server.

mod histogram;
mod load;

use crate::arguments::Global;
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::{Align, Output, Progress, Table, note, number, print, print_json, share};
use crate::server::{builder, url};
use clap::Args;
use futures_util::future::join_all;
use load::{Load, Measured};
use ratelimit::store::Store as _;
use ratelimit::{Algorithm, Key, Limit, RateLimiter, RedisStore};
use serde_json::{Value, json};
use std::time::Duration;

/// Measure decisions per second and their latency on your own server, through the library
///
/// Each step has more callers at once, and each caller asks again as soon as it has a decision. The keys have a prefix of their
/// own, and are deleted at the end. The load is real: other clients of the server are slower meanwhile.
#[derive(Args, Debug)]
pub(crate) struct Bench {
    /// The time of each step in seconds
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=600))]
    seconds: u16,
    /// The number of callers in each step
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16, 256], value_parser = clap::value_parser!(u32).range(1..=10_000))]
    callers: Vec<u32>,
    /// The number of identities, each with a key of its own
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    keys: u32,
    /// The limit to decide by; with a small `count`, most calls are refused
    #[arg(long, default_value = "token_bucket count=1000 time=1s")]
    limit: Limit,
}

pub(crate) async fn run(
    bench: &Bench,
    global: &Global,
    interrupt: &Interrupt,
    output: Output,
) -> Result<Exit, Failure> {
    if bench.limit.algorithm() == Algorithm::Concurrency {
        return Err(Failure::usage(
            "a concurrency limit holds permits; `bench` measures limits that are charged",
        ));
    }
    // Within the permissions of a user for the prefix, and not a key of the prefix.
    let prefix = format!("{}:bench-{:08x}", global.prefix, fastrand::u32(..));
    let store = RedisStore::new(url(global)?).map_err(Failure::usage)?;
    let limiter = builder(&store, &prefix).build().await.map_err(Failure::usage)?;
    // The first decision connects, and sends the scripts.
    let _ = limiter.peek(&bench.limit, Key::new("bench")).await?;
    let measured = steps(bench, &limiter, interrupt).await;
    let cleaned = clean_up(bench, &limiter, &store).await;
    let measured = measured?;
    if output.json {
        let steps: Vec<Value> = measured.iter().map(as_json).collect();
        print_json(
            &json!({ "limit": bench.limit.to_string(), "keys": bench.keys, "steps": steps, "partial": interrupt.is_set() }),
        )?;
    } else if measured.iter().any(|step| step.decisions() > 0) {
        print(as_text(bench, &measured, output))?;
    }
    if let Some(error) = measured.iter().find_map(|step| step.error.as_deref()) {
        if let Err(failure) = cleaned {
            note(failure);
        }
        return Err(Failure::server(format!("some calls were not decided: {error}")));
    }
    cleaned?;
    if interrupt.is_set() {
        note("interrupted: later steps did not run; all keys of the benchmark are deleted");
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Success)
}

async fn steps(
    bench: &Bench,
    limiter: &RateLimiter,
    interrupt: &Interrupt,
) -> Result<Vec<Measured>, Failure> {
    let mut progress = Progress::new();
    let mut measured = Vec::new();
    for callers in &bench.callers {
        if interrupt.is_set() {
            break;
        }
        let load = Load {
            limiter: limiter.clone(),
            limit: bench.limit,
            keys: bench.keys,
            callers: *callers,
            time: Duration::from_secs(bench.seconds.into()),
        };
        measured.push(load.run(interrupt, &mut progress).await?);
    }
    Ok(measured)
}

/// Deletes all keys that the callers have used.
async fn clean_up(bench: &Bench, limiter: &RateLimiter, store: &RedisStore) -> Result<(), Failure> {
    const AT_ONCE: usize = 500;
    let keys: Vec<u32> = (0..bench.keys).collect();
    for some in keys.chunks(AT_ONCE) {
        let keys = some.iter().map(|key| limiter.store_key(load::key(*key), bench.limit.algorithm()));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        for deleted in join_all(keys.iter().map(|key| store.reset(std::slice::from_ref(key)))).await {
            deleted.map_err(|error| {
                Failure::server(format!("the keys of the benchmark remain until they expire: {error}"))
            })?;
        }
    }
    Ok(())
}

fn as_text(bench: &Bench, measured: &[Measured], output: Output) -> String {
    let mut table = Table::new(&[
        ("CALLERS", Align::Right),
        ("DECISIONS/S", Align::Right),
        ("REFUSED", Align::Right),
        ("P50", Align::Right),
        ("P90", Align::Right),
        ("P99", Align::Right),
        ("P99.9", Align::Right),
        ("MAX", Align::Right),
    ]);
    for step in measured {
        let [p50, p90, p99, p999, max] = step.percentiles().map(latency);
        let refused = share(step.refused_share());
        table.row([
            number(step.callers.into()),
            number(step.per_second()),
            refused,
            p50,
            p90,
            p99,
            p999,
            max,
        ]);
    }
    format!("{}, {} identities\n\n{}", bench.limit, number(bench.keys.into()), table.render(output))
}

/// A latency with three digits.
fn latency(time: Duration) -> String {
    let us = time.as_micros();
    if us < 1000 { format!("{us} µs") } else { format!("{}.{:02} ms", us / 1000, us % 1000 / 10) }
}

fn as_json(step: &Measured) -> Value {
    let us = step.percentiles().map(|time| u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    let [p50, p90, p99, p999, max] = us;
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
