//! With the feature `trace`, each decision is a span. The test is a separate process, because a process has only one
//! subscriber.
#![expect(clippy::unwrap_used, reason = "in helpers of tests: a panic is a failed test")]

use ratelimit::{AsKey, Key, Limit, RateLimiter, Rejection, rate_limit};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use support::{DAY, HOUR, SECOND};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

thread_local! {
    /// For each span of a decision on this thread: its fields, by the span's id.
    static SPANS: RefCell<BTreeMap<u64, Vec<String>>> = const { RefCell::new(BTreeMap::new()) };
}

/// Records the spans of decisions. Like the filters of layers that export spans, this subscriber enables no events.
struct Spans;

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target() == "ratelimit::decision" && *metadata.level() == Level::DEBUG
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let id = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        SPANS.with_borrow_mut(|spans| spans.insert(id, Vec::new()));
        Id::from_u64(id)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        SPANS.with_borrow_mut(|spans| values.record(&mut Fields(spans.get_mut(&id.into_u64()).unwrap())));
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

/// Installs the subscriber at the first call.
fn record_spans() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing::subscriber::set_global_default(Spans).unwrap());
}

/// Returns the spans of this thread, in the order in which they began.
fn spans() -> Vec<String> {
    SPANS.take().values().map(|fields| fields.join(", ")).collect()
}

#[tokio::test(start_paused = true)]
async fn every_decision_is_a_span_without_the_identity() {
    #[rate_limit(key = "small", time = "1h", count = 1, by = user)]
    #[rate_limit(key = "large", time = "1d", count = 9, by = user)]
    async fn two(user: &str) -> Result<(), Rejection> {
        Ok(())
    }

    record_spans();
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
    assert!(spans[1].starts_with("limit small, outcome allowed"), "the first limit: {spans:#?}");
    assert!(refused(&spans[2]), "{spans:#?}");
    assert!(spans[3].starts_with("limit small, outcome limited"), "the limit that refused: {spans:#?}");
    assert_eq!(spans[4..], ["limit gate, outcome allowed, remaining 0", "limit gate, outcome cancelled"]);
}

#[tokio::test]
async fn the_span_names_the_same_limit_as_the_rejection() {
    record_spans();
    let limiter = RateLimiter::in_memory();
    let (hourly, daily, closed) =
        (Limit::counter(1, HOUR), Limit::counter(1, DAY), Limit::try_counter(0, DAY).unwrap());
    let stack: [(&Limit, &dyn AsKey, u32); 3] =
        [(&hourly, &"named/1h", 1), (&daily, &"named/1d", 1), (&hourly, &"named/other", 1)];
    limiter.check_all(&stack).await.unwrap();
    let rejection = limiter.check_all(&stack).await.unwrap_err();
    assert_eq!(rejection.name(), "named/1d", "the longest wait");
    let spans_of_stack = spans();
    assert!(spans_of_stack[1].starts_with("limit named/1d, outcome limited"), "{spans_of_stack:#?}");

    // A limit that never admits the call has the longest wait, so the span names this limit.
    let stack: [(&Limit, &dyn AsKey, u32); 3] =
        [(&daily, &"named/1d", 1), (&closed, &"named/closed", 1), (&closed, &"named/closed too", 1)];
    let rejection = limiter.check_all(&stack).await.unwrap_err();
    assert_eq!(spans(), [format!("limit {}, outcome limited, remaining 0", rejection.name())]);
}

#[tokio::test]
async fn exempt_calls_have_no_span() {
    record_spans();
    let limiter = RateLimiter::builder().off().connect().await.unwrap();
    let (once, gate) = (Limit::counter(1, HOUR), Limit::concurrency(1, HOUR));
    limiter.check(&once, "off").await.unwrap();
    limiter.acquire(&once, "off").await.unwrap();
    drop(limiter.charge(&once, "off", 1).await.unwrap());
    drop(limiter.permit(&gate, "off").await.unwrap());
    limiter.check_all(&[(&once, &"off", 1)]).await.unwrap();
    assert_eq!(spans(), [""; 0]);
}
