//! Records the limits that are named in `tracing` events.
//!
//! The subscriber is installed once for the process. A subscriber of one thread would miss events whose call site
//! another thread has already reached.

use std::cell::RefCell;
use std::sync::Once;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber, span};

thread_local! {
    static REPORTED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// The names of limits in events of level `INFO` that `test` causes on this thread.
pub(crate) async fn reported(test: impl Future<Output = ()>) -> Vec<String> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing::subscriber::set_global_default(Reports).unwrap());
    REPORTED.take();
    test.await;
    REPORTED.take()
}

struct Reports;

impl Subscriber for Reports {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("ratelimit") && *metadata.level() == Level::INFO
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Name);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// Records the field `limit`.
struct Name;

impl Visit for Name {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "limit" {
            REPORTED.with_borrow_mut(|reported| reported.push(value.to_owned()));
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}
