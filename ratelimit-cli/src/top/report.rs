//! A snapshot as JSON.

use super::hot::HotKey;
use super::names::NameRow;
use super::sampler::Snapshot;
use serde_json::{Value, json};

pub(crate) fn as_json(snapshot: &Snapshot) -> Value {
    let health = &snapshot.health;
    let us = |time: std::time::Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    json!({
        "servers": snapshot.servers,
        "missing": snapshot.missing,
        "latency_us": us(health.latency),
        "longest_latency_us": us(health.longest),
        "scripts_per_second": health.work.map(|work| work.scripts_per_second),
        "us_per_script": health.work.map(|work| work.us_per_script),
        "commands_per_second": health.work.map(|work| work.commands_per_second),
        "used_memory": health.used_memory,
        "number_of_keys": snapshot.number_of_keys,
        "passes": snapshot.passes,
        "names": snapshot.names.iter().map(name).collect::<Vec<_>>(),
        "keys": snapshot.keys.iter().map(key).collect::<Vec<_>>(),
        "error": snapshot.error,
    })
}

fn name(row: &NameRow) -> Value {
    json!({
        "name": row.name,
        "algorithm": row.algorithm,
        "keys": row.sum.keys,
        "units_per_second": row.sum.per_second(),
        "at_limit": (row.sum.known > 0).then_some(row.sum.at_limit),
    })
}

fn key(hot: &HotKey) -> Value {
    let mut value = hot.reading.usage.as_json();
    value["identity"] = hot.who[..].into();
    value["name"] = hot.key.name().into();
    value["units_per_second"] = hot.rate.into();
    value
}
