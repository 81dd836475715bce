//! Catches all `tracing` events of a thread, by one subscriber for the process: one for a thread may come too late for an
//! event that another thread has met before.

use std::cell::RefCell;
use std::fmt::{Debug, Write};
use std::sync::Once;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

thread_local! {
    static HEARD: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// The events that were caused on this thread since the last call, each with all its fields. The first call begins.
pub(crate) fn heard() -> Vec<String> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing::subscriber::set_global_default(Ear).unwrap());
    HEARD.replace(Some(Vec::new())).unwrap_or_default()
}

struct Ear;

impl Subscriber for Ear {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn event(&self, event: &Event<'_>) {
        HEARD.with_borrow_mut(|heard| {
            if let Some(heard) = heard {
                let mut line = Line(event.metadata().level().to_string());
                event.record(&mut line);
                heard.push(line.0);
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
