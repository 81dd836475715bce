//! With the feature `trace`, each decision is a span. A process of its own, because a process has one subscriber.
#![expect(clippy::unwrap_used, reason = "in helpers of tests: a panic is a failed test")]

use ratelimit::{Key, Limit, RateLimiter, Rejection, rate_limit};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{LazyLock, Mutex};
use support::{HOUR, SECOND};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// The fields of the spans of decisions, by the id of the span.
static SPANS: LazyLock<Mutex<BTreeMap<u64, Vec<String>>>> = LazyLock::new(Mutex::default);

/// Records the spans of decisions.
struct Spans;

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "ratelimit::decision" && *metadata.level() == Level::DEBUG
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        let mut spans = SPANS.lock().unwrap();
        let id = u64::try_from(spans.len()).unwrap() + 1;
        spans.insert(id, Vec::new());
        Id::from_u64(id)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        values.record(&mut Fields(SPANS.lock().unwrap().get_mut(&id.into_u64()).unwrap()));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Fields<'f>(&'f mut Vec<String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push(format!("{} {value:?}", field.name().replace("ratelimit.", "")));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }
}

/// The spans in the order in which they began.
fn spans() -> Vec<String> {
    SPANS.lock().unwrap().values().map(|fields| fields.join(", ")).collect()
}

#[tokio::test(start_paused = true)]
async fn every_decision_is_a_span_without_the_identity() {
    #[rate_limit(key = "small", time = "1h", count = 1, by = user)]
    #[rate_limit(key = "large", time = "1d", count = 9, by = user)]
    async fn two(user: &str) -> Result<(), Rejection> {
        Ok(())
    }

    tracing::subscriber::set_global_default(Spans).unwrap();
    let limiter = RateLimiter::in_memory();
    let once = Limit::counter(1, HOUR);
    for _ in 0..2 {
        let _ = limiter.check(&once, Key::new("check").by("alice")).await;
        let _ = ratelimit::scope(limiter.clone(), two("alice")).await;
    }
    let gate = Limit::concurrency(1, HOUR).wait(HOUR);
    let _held = limiter.permit(&gate, "gate").await.unwrap();
    assert!(tokio::time::timeout(SECOND, limiter.permit(&gate, "gate")).await.is_err());
    let refused = |text: &str| text.starts_with("limit check, outcome limited, remaining 0, retry_after 3");
    let spans = spans();
    assert_eq!(spans[0], "limit check, outcome allowed, remaining 0");
    assert!(
        spans[1].starts_with("limit small, outcome allowed")
            || spans[1].starts_with("limit large, outcome allowed"),
        "{spans:#?}"
    );
    assert!(refused(&spans[2]), "{spans:#?}");
    assert!(spans[3].starts_with("limit small, outcome limited"), "the limit that refused: {spans:#?}");
    assert_eq!(spans[4..], ["limit gate, outcome allowed, remaining 0", "limit gate, outcome cancelled"]);
}
