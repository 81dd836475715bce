//! Records all `tracing` events of a thread.
//!
//! One subscriber is installed for the whole process. A subscriber of one thread would miss events from call sites that another
//! thread has already reached.

use std::cell::RefCell;
use std::fmt::{self, Debug, Display};
use std::sync::Once;
use tracing::field::{Field, Visit};
use tracing::{Level, Metadata, Subscriber, span};

thread_local! {
    static EVENTS: RefCell<Option<Vec<Event>>> = const { RefCell::new(None) };
}

/// A recorded event.
#[derive(Debug)]
pub struct Event {
    /// The level.
    pub level: Level,
    /// The path of the module that emits the event.
    pub target: &'static str,
    /// The names and values of all fields.
    pub fields: Vec<(&'static str, String)>,
}

impl Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.level)?;
        self.fields.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

/// Returns the events of this thread since the last call. The first call starts the recording.
///
/// # Panics
///
/// If the process has another global subscriber.
#[must_use]
pub fn take_events() -> Vec<Event> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing::subscriber::set_global_default(Recorder).expect("another subscriber"));
    EVENTS.replace(Some(Vec::new())).unwrap_or_default()
}

struct Recorder;

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn event(&self, event: &tracing::Event<'_>) {
        EVENTS.with_borrow_mut(|events| {
            if let Some(events) = events {
                let metadata = event.metadata();
                let mut recorded =
                    Event { level: *metadata.level(), target: metadata.target(), fields: Vec::new() };
                event.record(&mut recorded);
                events.push(recorded);
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

impl Visit for Event {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.push((field.name(), value.to_owned()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.push((field.name(), format!("{value:?}")));
    }
}
