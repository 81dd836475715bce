//! Records all `tracing` events of a thread.
//!
//! The subscriber is installed once for the process. A subscriber of one thread would miss events whose call site
//! another thread has already reached.

use std::cell::RefCell;
use std::fmt::{Debug, Write};
use std::sync::Once;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

thread_local! {
    static EVENTS: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// The events of this thread since the last call, each with its level and all fields. The first call starts recording.
pub(crate) fn take_events() -> Vec<String> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing::subscriber::set_global_default(Recorder).unwrap());
    EVENTS.replace(Some(Vec::new())).unwrap_or_default()
}

struct Recorder;

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn event(&self, event: &Event<'_>) {
        EVENTS.with_borrow_mut(|events| {
            if let Some(events) = events {
                let mut line = Line(event.metadata().level().to_string());
                event.record(&mut line);
                events.push(line.0);
            }
        });
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}
