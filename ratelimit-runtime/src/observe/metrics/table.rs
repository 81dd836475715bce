//! The table of all metrics. Descriptions are registered from it, and tests compare it with the documentation and with what is
//! emitted.

use metrics::Unit;

/// Everything that the library measures, in the order of the documentation.
pub const METRICS: &[Metric] = &[
    DECISIONS,
    NEAR_LIMIT,
    WAIT_DURATION,
    WAITING,
    PERMITS,
    DECISION_DURATION,
    STORE_ERRORS,
    BREAKER_OPEN,
    BATCH_SIZE,
    DENY_CACHE_HITS,
    LEASE_UNUSED,
    MEMORY_EVICTIONS,
    HOOK_MISSED,
];

/// A metric of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metric {
    /// The name, in OpenTelemetry's form: `ratelimit.decisions`. Prometheus writes `_` for the dots.
    pub name: &'static str,
    /// The kind of instrument.
    pub kind: Kind,
    /// The unit as OpenTelemetry writes it: `s`, or `{call}` for a number of calls.
    pub unit: &'static str,
    /// The names of the labels.
    pub labels: &'static [&'static str],
    /// The measured value, in one sentence.
    pub description: &'static str,
}

/// The kind of a [`Metric`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Only increases.
    Counter,
    /// Increases and decreases.
    Gauge,
    /// The distribution of values.
    Histogram,
}

impl Metric {
    /// The unit as the facade knows it.
    pub(super) fn facade_unit(&self) -> Option<Unit> {
        (self.unit == "s").then_some(Unit::Seconds)
    }
}

/// The label with the name of the limit.
pub(super) const LIMIT: &str = "ratelimit.limit";
/// The label with the outcome.
pub(super) const OUTCOME: &str = "ratelimit.outcome";
/// The label with the kind of an error.
pub(super) const ERROR_TYPE: &str = "error.type";

pub(super) const DECISIONS: Metric = Metric {
    name: "ratelimit.decisions",
    kind: Kind::Counter,
    unit: "{decision}",
    labels: &[LIMIT, OUTCOME],
    description: "Calls by limit, and what became of them",
};
pub(super) const NEAR_LIMIT: Metric = Metric {
    name: "ratelimit.near_limit",
    kind: Kind::Counter,
    unit: "{decision}",
    labels: &[LIMIT],
    description: "Admitted calls after which at least 80 % of the limit was in use",
};
pub(super) const WAIT_DURATION: Metric = Metric {
    name: "ratelimit.wait.duration",
    kind: Kind::Histogram,
    unit: "s",
    labels: &[LIMIT],
    description: "Time that calls with the outcome `waited` waited for their turn or for a permit",
};
pub(super) const WAITING: Metric = Metric {
    name: "ratelimit.waiting",
    kind: Kind::Gauge,
    unit: "{call}",
    labels: &[LIMIT],
    description: "Calls of this process that wait for their turn or for a permit now",
};
pub(super) const PERMITS: Metric = Metric {
    name: "ratelimit.permits",
    kind: Kind::Gauge,
    unit: "{permit}",
    labels: &[LIMIT],
    description: "Units of permits that this process holds now",
};
pub(super) const DECISION_DURATION: Metric = Metric {
    name: "ratelimit.decision.duration",
    kind: Kind::Histogram,
    unit: "s",
    labels: &[],
    description: "Time that calls waited for the store's decision, also if it failed; decisions in memory are not measured",
};
pub(super) const STORE_ERRORS: Metric = Metric {
    name: "ratelimit.store.errors",
    kind: Kind::Counter,
    unit: "{error}",
    labels: &[ERROR_TYPE],
    description: "Decisions that the store could not make: the failure policy applied, the call was rejected, or a shadow limit was not decided",
};
pub(super) const BREAKER_OPEN: Metric = Metric {
    name: "ratelimit.store.breaker.open",
    kind: Kind::Gauge,
    unit: "{session}",
    labels: &[],
    description: "Sessions with Redis servers whose circuit breaker is open now; one session per runtime and server",
};
pub(super) const BATCH_SIZE: Metric = Metric {
    name: "ratelimit.store.batch.size",
    kind: Kind::Histogram,
    unit: "{request}",
    labels: &[],
    description: "Requests of a script call that a worker sends for calls that arrived together",
};
pub(super) const DENY_CACHE_HITS: Metric = Metric {
    name: "ratelimit.deny_cache.hits",
    kind: Kind::Counter,
    unit: "{decision}",
    labels: &[],
    description: "Refusals that this process remembered, so that the store was not asked",
};
pub(super) const LEASE_UNUSED: Metric = Metric {
    name: "ratelimit.lease.unused",
    kind: Kind::Gauge,
    unit: "{unit}",
    labels: &[],
    description: "Units on lease that no call of this process has used yet, measured four times a second",
};
pub(super) const MEMORY_EVICTIONS: Metric = Metric {
    name: "ratelimit.memory.evictions",
    kind: Kind::Counter,
    unit: "{key}",
    labels: &[],
    description: "Keys that a full memory store forgot before their end, so that their limits start again",
};
pub(super) const HOOK_MISSED: Metric = Metric {
    name: "ratelimit.hook.missed",
    kind: Kind::Counter,
    unit: "{event}",
    labels: &[],
    description: "Events that a hook did not hear of, because it is too slow",
};
