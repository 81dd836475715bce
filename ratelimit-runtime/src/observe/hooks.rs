//! `Hooks`: the queue of a limiter's hook, and the thread that calls it.
//!
//! A thread, not a task: limits in memory work without a runtime, and a hook may block.

use super::{Hook, NearLimit, Refusal};
use crate::error::Error;
use crate::tasks::{Counted, Tasks};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The maximum number of refusals in the queue.
const MOST_REFUSALS: usize = 4096;

/// The maximum number of events about nearly used up limits in the queue, in addition to the refusals.
const MOST_NEAR: usize = 4096;

/// The number of places that stay free for outages when the other events have reached their maximum. So a flood of refusals
/// does not hide an outage.
const MOST_OUTAGES: usize = 64;

/// The minimum time between two log lines about panics.
const BETWEEN_PANICS: Duration = Duration::from_secs(60);

/// The hook of a limiter, if it has one. Clones share the hook.
#[derive(Clone, Default)]
pub(crate) struct Hooks(Option<Arc<Inner>>);

struct Inner {
    hook: Arc<dyn Hook>,
    /// The queue of the thread. `None` if the thread could not be started.
    queue: OnceLock<Option<SyncSender<Queued>>>,
    counts: Arc<Counts>,
    /// Lets `close` wait until the queue is empty.
    tasks: Tasks,
}

/// Counters that the deciding threads and the thread of the hook share.
#[derive(Default)]
struct Counts {
    /// The number of refusals in the queue.
    refusals: AtomicUsize,
    /// The number of events about nearly used up limits in the queue.
    near: AtomicUsize,
    /// The number of dropped events since the last call of [`Hook::missed`].
    missed: AtomicU64,
}

/// An event that is reported to a hook.
pub(crate) enum Event {
    Refused(Refusal),
    NearLimit(NearLimit),
    OutageBegan(Error),
    OutageEnded(Duration),
}

/// An event in the queue, which `close` waits for.
type Queued = (Event, Counted);

impl Hooks {
    pub(crate) fn new(hook: Option<Arc<dyn Hook>>, tasks: &Tasks) -> Self {
        let inner =
            |hook| Inner { hook, queue: OnceLock::new(), counts: Arc::default(), tasks: tasks.clone() };
        Self(hook.map(|hook| Arc::new(inner(hook))))
    }

    /// Whether there is a hook.
    pub(crate) const fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// Puts an event into the queue of the hook, if there is a hook. Never waits: if the queue has no place, the event is
    /// dropped and counted.
    pub(crate) fn tell(&self, event: Event) {
        let Some(inner) = &self.0 else { return };
        let counts = &inner.counts;
        let queued = counts.of_kind(&event);
        let has_place = queued.is_none_or(|(queued, most)| queued.fetch_add(1, Ordering::Relaxed) < most);
        if has_place && inner.enter(event) {
            return;
        }
        if let Some((queued, _)) = queued {
            queued.fetch_sub(1, Ordering::Relaxed);
        }
        counts.missed.fetch_add(1, Ordering::Relaxed);
        super::store::hook_missed();
    }
}

impl Counts {
    /// The number of events of this kind in the queue, and its maximum. `None` if the kind has no maximum of its own.
    fn of_kind(&self, event: &Event) -> Option<(&AtomicUsize, usize)> {
        match event {
            Event::Refused(_) => Some((&self.refusals, MOST_REFUSALS)),
            Event::NearLimit(_) => Some((&self.near, MOST_NEAR)),
            Event::OutageBegan(_) | Event::OutageEnded(_) => None,
        }
    }
}

impl Inner {
    /// Puts an event into the queue. Returns whether there was a place.
    fn enter(&self, event: Event) -> bool {
        let queue = self.queue.get_or_init(|| self.start());
        queue.as_ref().is_some_and(|queue| queue.try_send((event, self.tasks.count())).is_ok())
    }

    /// Starts the thread.
    fn start(&self) -> Option<SyncSender<Queued>> {
        let (sender, receiver) = sync_channel(MOST_REFUSALS + MOST_NEAR + MOST_OUTAGES);
        let (hook, counts) = (Arc::clone(&self.hook), Arc::clone(&self.counts));
        let thread = std::thread::Builder::new().name("ratelimit-hook".to_owned());
        match thread.spawn(move || run(&*hook, &receiver, &counts)) {
            Ok(_) => Some(sender),
            Err(error) => {
                tracing::error!(
                    target: "ratelimit::hook",
                    %error,
                    "cannot start the thread of the hook, which hears of nothing"
                );
                None
            }
        }
    }
}

/// Calls the hook for each event until the limiter is dropped.
fn run(hook: &dyn Hook, events: &Receiver<Queued>, counts: &Counts) {
    let mut logged: Option<Instant> = None;
    let mut call = |told: &dyn Fn()| {
        let panicked = catch_unwind(AssertUnwindSafe(told)).is_err();
        if panicked && logged.is_none_or(|logged| logged.elapsed() >= BETWEEN_PANICS) {
            logged = Some(Instant::now());
            tracing::error!(target: "ratelimit::hook", "a hook has panicked; it goes on with the next event");
        }
    };
    for (event, _counted) in events {
        if let Some((of_kind, _)) = counts.of_kind(&event) {
            of_kind.fetch_sub(1, Ordering::Relaxed);
        }
        match counts.missed.swap(0, Ordering::Relaxed) {
            0 => {}
            events => call(&|| hook.missed(events)),
        }
        call(&|| match &event {
            Event::Refused(refusal) => hook.refused(refusal),
            Event::NearLimit(near) => hook.near_limit(near),
            Event::OutageBegan(error) => hook.outage_began(error),
            Event::OutageEnded(lasted) => hook.outage_ended(*lasted),
        });
    }
}
