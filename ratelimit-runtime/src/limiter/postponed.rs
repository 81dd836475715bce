//! `Postponed`: results of finished calls that the store could not store: pauses, refunds and settlements. A background task sends
//! them again.
//!
//! A refund or a settlement is sent again only if the store has certainly not executed it, so it takes effect at most once. A pause
//! may be sent twice, because the second one changes nothing.

#[cfg(test)]
mod tests;

use super::OnError;
use super::layers::{Deadline, Policy};
use super::single_task::{InCharge, SingleTask};
use crate::clock::LONGEST_TIME;
use crate::decision::Source;
use crate::error::Error;
use crate::store::{Adjusted, Adjustment, Change, all};
use crate::tasks::{Counted, Tasks};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// The time after which a change is sent again while the store fails.
const BETWEEN: Duration = Duration::from_millis(100);
/// How many changes are sent at the same time, once the store has stored one.
const MOST_AT_ONCE: usize = 64;
/// The maximum number of postponed changes. A further change removes the oldest one.
const MOST: usize = 16_384;

/// The postponed changes of a limiter.
pub(super) struct Postponed {
    store: Arc<Deadline>,
    policy: Arc<Policy>,
    /// Counts the changes, so that `close` waits for them.
    tasks: Tasks,
    table: Mutex<Table>,
    /// Whether any change was postponed so far. Read without the lock, so that most processes never need the lock.
    is_used: AtomicBool,
    sending: SingleTask,
}

#[derive(Default)]
struct Table {
    next: u64,
    /// The changes in the order in which they are sent.
    changes: BTreeMap<u64, Waiting>,
    /// The places of the pauses in `changes`, by key. Each key has at most one.
    pauses: BTreeMap<Box<[u8]>, u64>,
    /// Whether a failure was logged since all changes were stored.
    warned: bool,
}

#[derive(Clone)]
struct Waiting {
    adjustment: Adjustment,
    /// The time after which the change has no effect: the pause has ended, or all units are free.
    until: Instant,
    /// Lets `close` wait for the change.
    _task: Arc<Counted>,
}

impl Postponed {
    pub(super) fn new(store: Arc<Deadline>, policy: Arc<Policy>, tasks: Tasks) -> Self {
        let (table, is_used, sending) = (Mutex::default(), AtomicBool::new(false), SingleTask::default());
        Self { store, policy, tasks, table, is_used, sending }
    }

    /// Notes the reply to the changes of a finished call, and postpones changes that were not stored.
    pub(super) fn note(
        self: &Arc<Self>,
        on_error: OnError,
        changes: &[Adjustment],
        adjusted: &Result<Adjusted, Error>,
    ) {
        match adjusted {
            Ok(_) if self.is_used.load(Ordering::Relaxed) => self.table.lock().note_success(),
            Ok(_) => {}
            Err(error) => {
                if self.table.lock().warns() {
                    tracing::warn!(
                        target: "ratelimit::outage",
                        %error,
                        "cannot store a pause, a refund or a settlement; sending it again, unless it may have been executed"
                    );
                } else {
                    tracing::debug!(%error, "cannot store a pause, a refund or a settlement");
                }
                self.postpone(on_error, changes.iter().filter(|change| may_repeat(change, error)));
            }
        }
    }

    /// Postpones changes. If this process decides by itself while the store is unavailable, the pauses hold in it at once.
    pub(super) fn postpone<'c>(
        self: &Arc<Self>,
        on_error: OnError,
        changes: impl Iterator<Item = &'c Adjustment>,
    ) {
        for change in changes {
            self.is_used.store(true, Ordering::Relaxed);
            if on_error == OnError::Local && matches!(change.change(), Change::Pause(_)) {
                drop(self.policy.adjust(Source::Local, std::slice::from_ref(change)));
            }
            self.table.lock().add(Waiting::new(change.clone(), self.tasks.count()));
        }
        self.send(Instant::now());
    }

    /// Starts the task that sends the postponed changes, if there are any and the task is not running.
    pub(super) fn send(self: &Arc<Self>, now: Instant) {
        if self.is_used.load(Ordering::Relaxed)
            && self.sending.is_late(now)
            && !self.table.lock().changes.is_empty()
        {
            self.sending.start(self, |postponed| &postponed.sending, BETWEEN, send_all);
        }
    }

    /// Sends changes at the same time. Returns whether the store has replied to all of them without an error.
    async fn send_again(&self, changes: Vec<(u64, Waiting)>) -> bool {
        let sent = changes.into_iter().map(|(place, waiting)| {
            Box::pin(async move {
                let adjusting = self.policy.adjust(Source::Store, &[waiting.now()]);
                (place, waiting, self.store.within_deadline(adjusting).await)
            })
        });
        let mut all_stored = true;
        for (place, waiting, adjusted) in all(sent.collect()).await {
            let error = adjusted.err();
            all_stored &= error.is_none();
            let again = error.is_some_and(|error| may_repeat(&waiting.adjustment, &error));
            self.table.lock().sent(place, waiting, again);
        }
        all_stored
    }
}

/// Whether a change may be sent again after this error.
fn may_repeat(change: &Adjustment, error: &Error) -> bool {
    match change.change() {
        Change::Used => false,
        Change::Pause(_) => error.is_not_executed() || error.is_transient(),
        _ => error.is_not_executed(),
    }
}

/// Sends the postponed changes until none is left. While the store fails, sends one at a time.
async fn send_all(task: InCharge<Postponed>) {
    let mut number = 1;
    loop {
        if number == 1 {
            tokio::time::sleep(BETWEEN).await;
        }
        let Some(postponed) = task.owner() else { return };
        task.beat(&postponed, BETWEEN + postponed.store.within());
        let changes = postponed.table.lock().take(number, Instant::now());
        if changes.is_empty() {
            return;
        }
        number = if postponed.send_again(changes).await { MOST_AT_ONCE } else { 1 };
    }
}

impl Waiting {
    fn new(adjustment: Adjustment, task: Counted) -> Self {
        let limit = adjustment.limit();
        let lasts = match adjustment.change() {
            Change::Pause(ms) => Duration::from_millis(ms),
            _ => Duration::from_millis(limit.longest_reset_ms()).saturating_add(limit.longest_wait()),
        };
        Self { until: Instant::now() + lasts.min(LONGEST_TIME), adjustment, _task: Arc::new(task) }
    }

    /// Returns the change to send now: of a pause, only the rest is left.
    fn now(&self) -> Adjustment {
        let of = &self.adjustment;
        let change = match of.change() {
            Change::Pause(ms) => {
                let left = self.until.saturating_duration_since(Instant::now()).as_millis();
                Change::Pause(u64::try_from(left).unwrap_or(ms).clamp(1, ms))
            }
            change => change,
        };
        Adjustment::new(of.key().clone(), *of.limit(), of.units(), change)
    }
}

impl Table {
    /// Whether a failure is to be logged as a warning.
    fn warns(&mut self) -> bool {
        !std::mem::replace(&mut self.warned, true)
    }

    /// Notes that the store has stored a change.
    fn note_success(&mut self) {
        self.warned &= !self.changes.is_empty();
    }

    /// Adds a change behind all others. Of two pauses under one key, the one that ends later stays.
    fn add(&mut self, waiting: Waiting) {
        let is_pause = matches!(waiting.adjustment.change(), Change::Pause(_));
        let earlier = if is_pause { self.pauses.get(waiting.adjustment.key().as_bytes()) } else { None };
        if let Some(earlier) = earlier.and_then(|place| self.changes.get_mut(place)) {
            if earlier.until < waiting.until {
                *earlier = waiting;
            }
            return;
        }
        self.next += 1;
        if is_pause {
            self.pauses.insert(waiting.adjustment.key().as_bytes().into(), self.next);
        }
        self.changes.insert(self.next, waiting);
        if self.changes.len() > MOST
            && let Some(oldest) = self.changes.keys().next().copied()
        {
            self.remove(oldest);
        }
    }

    fn remove(&mut self, place: u64) -> Option<Waiting> {
        let removed = self.changes.remove(&place)?;
        if matches!(removed.adjustment.change(), Change::Pause(_)) {
            self.pauses.remove(removed.adjustment.key().as_bytes());
        }
        Some(removed)
    }

    /// Takes up to `most` changes that still have an effect. A pause stays in the table until the store has replied.
    fn take(&mut self, most: usize, now: Instant) -> Vec<(u64, Waiting)> {
        let over: Vec<u64> = self
            .changes
            .iter()
            .filter(|(_, waiting)| waiting.until <= now)
            .map(|(place, _)| *place)
            .collect();
        for place in over {
            self.remove(place);
        }
        let taken: Vec<(u64, Waiting)> =
            self.changes.iter().take(most).map(|(place, waiting)| (*place, waiting.clone())).collect();
        for (place, waiting) in &taken {
            if !matches!(waiting.adjustment.change(), Change::Pause(_)) {
                self.changes.remove(place);
            }
        }
        taken
    }

    /// Notes that the store has replied to a change, which must be sent `again` or not. A pause that was made longer meanwhile
    /// is sent again.
    fn sent(&mut self, place: u64, waiting: Waiting, again: bool) {
        let longer = self.remove(place).filter(|stored| stored.until > waiting.until);
        if again || longer.is_some() {
            self.add(longer.unwrap_or(waiting));
        } else {
            self.note_success();
        }
    }
}
