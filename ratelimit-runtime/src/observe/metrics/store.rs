//! The handles of the stores.

use super::handle::Handle;
use super::level::Level;
use super::table::{
    BATCH_SIZE, BREAKER_OPEN, DECISION_DURATION, DENY_CACHE_HITS, HOOK_MISSED, LEASE_UNUSED,
    MEMORY_EVICTIONS, Metric, STORE_ERRORS,
};
use metrics::{Counter, Histogram};
use std::time::Duration;

pub(in super::super) fn deny_cache_hit() {
    static HITS: Handle<Counter> = Handle::new();
    increment(&HITS, &DENY_CACHE_HITS);
}

pub(in super::super) fn hook_missed() {
    static MISSED: Handle<Counter> = Handle::new();
    increment(&MISSED, &HOOK_MISSED);
}

pub(in super::super) fn evicted(keys: u64) {
    static EVICTED: Handle<Counter> = Handle::new();
    if let Some(evicted) = EVICTED.get(&MEMORY_EVICTIONS) {
        evicted.increment(keys);
    }
}

pub(in super::super) fn store_replied(time: Duration) {
    static TIMES: Handle<Histogram> = Handle::new();
    if let Some(times) = TIMES.get(&DECISION_DURATION) {
        times.record(time);
    }
}

/// Counts an error of this kind, the value of `error.type`.
pub(in super::super) fn store_failed(kind: &'static str) {
    static ERRORS: [(&str, Handle<Counter>); 5] = [
        ("unavailable", Handle::new()),
        ("timeout", Handle::new()),
        ("configuration", Handle::new()),
        ("limit", Handle::new()),
        ("no_identity", Handle::new()),
    ];
    let errors = ERRORS.iter().find(|(of, _)| *of == kind);
    if let Some(errors) = errors.and_then(|(_, errors)| errors.get_with(&STORE_ERRORS, || [kind.into()])) {
        errors.increment(1);
    }
}

pub(in super::super) fn batch_sent(requests: usize) {
    static SIZES: Handle<Histogram> = Handle::new();
    if let Some(sizes) = SIZES.get(&BATCH_SIZE) {
        sizes.record(f64::from(u32::try_from(requests).unwrap_or(u32::MAX)));
    }
}

pub(in super::super) fn session_unhealthy(unhealthy: bool) {
    static OPEN: Level = Level::new();
    OPEN.add(if unhealthy { 1 } else { -1 }, OPEN.gauge.get(&BREAKER_OPEN));
}

pub(in super::super) fn add_leased_units(units: i64) {
    static UNUSED: Level = Level::new();
    UNUSED.add(units, UNUSED.gauge.get(&LEASE_UNUSED));
}

fn increment(counter: &Handle<Counter>, metric: &Metric) {
    if let Some(counter) = counter.get(metric) {
        counter.increment(1);
    }
}
