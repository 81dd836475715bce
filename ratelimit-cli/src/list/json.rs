//! What `list` has found, as JSON.

use super::aggregate::{Aggregate, Entry, Row};
use super::report::of_keys;
use crate::limits::{Limits, Numbers};
use crate::scan::Ttl;
use ratelimit::MetLimit;
use serde_json::{Value, json};

pub(super) fn as_json(aggregate: &Aggregate, idle: &[&str], limits: &Limits, complete: bool) -> Value {
    json!({
        "partial": !complete,
        "keys": aggregate.keys(),
        "limits": aggregate.rows().map(|row| row_as_json(row, aggregate, limits)).collect::<Vec<_>>(),
        "limits_without_keys": idle.iter().map(|name| idle_as_json(name, limits)).collect::<Vec<_>>(),
        "keys_of_other_names": aggregate.others,
        "foreign_keys": aggregate.foreign,
    })
}

fn idle_as_json(name: &str, limits: &Limits) -> Value {
    let met = limits.published(name);
    json!({
        "name": name,
        "limit": met.map(|met| met.in_code().to_string()),
        "varies": met.is_some_and(MetLimit::varies),
        "version": met.and_then(MetLimit::service_version),
        "override": limits.change_of_name(name).map(ToString::to_string),
    })
}

fn row_as_json(row: &Row, aggregate: &Aggregate, limits: &Limits) -> Value {
    let algorithm = row.example.algorithm();
    let limit = match algorithm.map(|algorithm| limits.of_name(row.example.name(), algorithm)) {
        Some(Numbers::Known(limit)) => Some(limit.to_string()),
        _ => None,
    };
    let largest: Vec<Value> = row.largest().iter().map(entry_as_json).collect();
    let met = limits.published(row.example.name());
    let overrides = of_keys(row.example.name(), aggregate, limits).into_iter();
    let overrides: Vec<Value> =
        overrides.map(|(who, change)| json!({ "identity": who, "change": change })).collect();
    json!({
        "name": row.example.name(),
        "algorithm": algorithm.map(ratelimit::Algorithm::as_str),
        "format": row.example.format(),
        "limit": limit,
        "varies": met.is_some_and(MetLimit::varies),
        "version": met.and_then(MetLimit::service_version),
        "override": limits.change_of_name(row.example.name()).map(ToString::to_string),
        "identity_overrides": overrides,
        "keys": row.keys,
        "units": row.units,
        "at_limit": (row.known > 0).then_some(row.at_limit),
        "longest_ttl_ms": milliseconds(row.longest_ttl),
        "keys_without_ttl": row.without_ttl,
        "largest": largest,
    })
}

fn entry_as_json(entry: &Entry) -> Value {
    json!({
        "identity": entry.identity,
        "used": entry.usage.used,
        "capacity": entry.usage.known.map(|known| known.limit.capacity()),
        "allowed": entry.usage.known.map(|known| known.allowed),
        "reset_after_ms": entry.usage.known.map(|known| milliseconds(known.reset_after)),
        "ttl_ms": match entry.ttl {
            Ttl::In(ttl) => Some(milliseconds(ttl)),
            Ttl::Never => None,
        },
    })
}

fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
