//! The table of all metrics. The descriptions are registered from it. Tests compare it with the documentation and with the
//! metrics that the library emits.

use metrics::Unit;

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
    /// The unit in the `metrics` facade. `None` if the unit is a number of things.
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

/// Defines the metrics and the list of all metrics.
macro_rules! metrics {
    ($($constant:ident: $kind:ident $name:literal in $unit:literal by [$($label:ident),*], $description:literal;)*) => {
        /// All metrics of the library, in the order of the documentation.
        pub const METRICS: &[Metric] = &[$($constant),*];

        $(pub(in super::super) const $constant: Metric = Metric {
            name: $name,
            kind: Kind::$kind,
            unit: $unit,
            labels: &[$($label),*],
            description: $description,
        };)*
    };
}

metrics! {
    DECISIONS: Counter "ratelimit.decisions" in "{decision}" by [LIMIT, OUTCOME],
        "Calls by limit, and what became of them";
    NEAR_LIMIT: Counter "ratelimit.near_limit" in "{decision}" by [LIMIT],
        "Admitted calls that made a limit nearly used up: less than 80 % was in use before the call, and at least 80 % after it";
    WAIT_DURATION: Histogram "ratelimit.wait.duration" in "s" by [LIMIT],
        "Time that calls with the outcome `waited` waited for their turn or for a permit";
    WAITING: Gauge "ratelimit.waiting" in "{call}" by [LIMIT],
        "Calls of this process that wait for their turn or for a permit now";
    PERMITS: Gauge "ratelimit.permits" in "{permit}" by [LIMIT],
        "Units of permits that this process holds now";
    PERMITS_LOST: Counter "ratelimit.permits.lost" in "{permit}" by [LIMIT],
        "Permits whose lease was lost while their holders were still running";
    DECISION_DURATION: Histogram "ratelimit.decision.duration" in "s" by [],
        "Time that calls waited for the store's decision, also if it failed; decisions in memory are not measured";
    STORE_ERRORS: Counter "ratelimit.store.errors" in "{error}" by [ERROR_TYPE],
        "Decisions that the store could not make: the failure policy applied, the call was rejected, or a shadow limit was not decided";
    BREAKER_OPEN: Gauge "ratelimit.store.breaker.open" in "{session}" by [],
        "Sessions with Redis servers whose circuit breaker is open now; one session per runtime and server";
    BATCH_SIZE: Histogram "ratelimit.store.batch.size" in "{request}" by [],
        "Requests of a script call, which calls that arrive together share";
    DENY_CACHE_HITS: Counter "ratelimit.deny_cache.hits" in "{decision}" by [],
        "Refusals that this process remembered, so that the store was not asked";
    LEASE_UNUSED: Gauge "ratelimit.lease.unused" in "{unit}" by [],
        "Units on lease that no call of this process has used yet, measured four times a second";
    MEMORY_EVICTIONS: Counter "ratelimit.memory.evictions" in "{key}" by [],
        "Keys that a full memory store forgot before their end, so that their limits start again";
    HOOK_MISSED: Counter "ratelimit.hook.missed" in "{event}" by [],
        "Events that a hook did not hear of, because it is too slow";
}
