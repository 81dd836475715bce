//! `Hooks`: the queue of a limiter's hook, and the thread that calls it.

use super::{Hook, Refusal};
use crate::error::Error;
use crate::limiter::{Counted, Tasks};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The most events that wait for the thread.
const CAPACITY: usize = 4096;

/// The time between two log lines about panics.
const BETWEEN_PANICS: Duration = Duration::from_secs(60);

/// The hook of a limiter, if it has one. A clone is the same hook.
#[derive(Clone, Default)]
pub(crate) struct Hooks(Option<Arc<Inner>>);

struct Inner {
    hook: Arc<dyn Hook>,
    /// The queue of the thread. `None` if the thread could not be started.
    queue: OnceLock<Option<SyncSender<Queued>>>,
    /// The events that were dropped and not yet told.
    missed: Arc<AtomicU64>,
    /// Lets `close` wait until the queue is empty.
    tasks: Tasks,
}

/// What a hook hears of.
pub(super) enum Event {
    Refused(Refusal),
    OutageBegan(Error),
    OutageEnded(Duration),
}

/// An event in the queue.
struct Queued {
    event: Event,
    _counted: Counted,
}

impl Hooks {
    pub(crate) fn new(hook: Option<Arc<dyn Hook>>, tasks: &Tasks) -> Self {
        let inner = |hook| Inner {
            hook,
            queue: OnceLock::new(),
            missed: Arc::new(AtomicU64::new(0)),
            tasks: tasks.clone(),
        };
        Self(hook.map(|hook| Arc::new(inner(hook))))
    }

    /// Whether there is a hook.
    pub(crate) const fn is_set(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn refused(&self, refusal: Refusal) {
        self.send(|| Event::Refused(refusal));
    }

    pub(crate) fn outage_began(&self, error: &Error) {
        self.send(|| Event::OutageBegan(error.clone()));
    }

    pub(crate) fn outage_ended(&self, lasted: Duration) {
        self.send(|| Event::OutageEnded(lasted));
    }

    /// Enters an event into the queue, or drops it. Never waits.
    fn send(&self, event: impl FnOnce() -> Event) {
        let Some(inner) = &self.0 else { return };
        let queued = Queued { event: event(), _counted: inner.tasks.count() };
        let queue = inner.queue.get_or_init(|| inner.start());
        if queue.as_ref().is_none_or(|queue| queue.try_send(queued).is_err()) {
            inner.missed.fetch_add(1, Ordering::Relaxed);
            super::store::hook_missed();
        }
    }
}

impl Inner {
    /// Starts the thread.
    fn start(&self) -> Option<SyncSender<Queued>> {
        let (sender, receiver) = sync_channel(CAPACITY);
        let (hook, missed) = (Arc::clone(&self.hook), Arc::clone(&self.missed));
        let thread = std::thread::Builder::new().name("ratelimit-hook".to_owned());
        match thread.spawn(move || run(&*hook, &receiver, &missed)) {
            Ok(_) => Some(sender),
            Err(error) => {
                tracing::error!(%error, "cannot start the thread of the hook, which hears of nothing");
                None
            }
        }
    }
}

/// Calls the hook until the limiter is dropped.
fn run(hook: &dyn Hook, events: &Receiver<Queued>, missed: &AtomicU64) {
    let mut logged: Option<Instant> = None;
    let mut call = |told: &dyn Fn()| {
        let panicked = catch_unwind(AssertUnwindSafe(told)).is_err();
        if panicked && logged.is_none_or(|logged| logged.elapsed() >= BETWEEN_PANICS) {
            logged = Some(Instant::now());
            tracing::error!("a hook has panicked; it goes on with the next event");
        }
    };
    for queued in events {
        match missed.swap(0, Ordering::Relaxed) {
            0 => {}
            events => call(&|| hook.missed(events)),
        }
        call(&|| match &queued.event {
            Event::Refused(refusal) => hook.refused(refusal),
            Event::OutageBegan(error) => hook.outage_began(error),
            Event::OutageEnded(lasted) => hook.outage_ended(*lasted),
        });
    }
}
