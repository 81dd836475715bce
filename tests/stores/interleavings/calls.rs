//! Calls of the model tests, and what they do to a queue.

use super::deadlines::Queued;
use super::pending::{PendingItem, Sender};
use super::queue::{Bounds, Entered, Queue, Worker};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU8, Ordering};
use std::task::Waker;
use std::time::Duration;
use tokio::time::Instant;

pub(super) const BOUNDS: Bounds =
    Bounds { waiting: 3, batch: 2, units: 2, workers: 2, add_worker_after: Duration::from_secs(1) };

/// Returns whether nothing is under way.
pub(super) fn is_idle<T: Queued>(queue: &Queue<T>) -> bool {
    matches!(queue.enter(|| unreachable!("something is under way"), Instant::now), Entered::Direct(_))
}

/// Adds an item to the queue. Returns the worker, if the queue needs one.
pub(super) fn enqueue<T: Queued>(queue: &Queue<T>, item: T, now: Instant) -> Option<Worker<T>> {
    match queue.enter(|| item, || now) {
        Entered::Queued(worker) => worker,
        Entered::Direct(_) => panic!("nothing is under way"),
        Entered::Full => panic!("the queue is full"),
    }
}

/// A call with a number, as its sender holds it.
pub(super) type Numbered = Sender<Item, u32>;

pub(super) struct Item {
    number: u32,
    deadline: Option<Instant>,
    pub(super) watch: AtomicU8,
}

pub(super) const UNWATCHED: u8 = 0;
pub(super) const WATCHED: u8 = 1;
pub(super) const OVERDUE: u8 = 2;

impl Queued for Numbered {
    fn is_wanted(&self) -> bool {
        Self::is_wanted(self)
    }

    fn deadline(&self) -> Option<Instant> {
        self.item()?.deadline
    }

    fn set_watched(&self, watched: bool) -> Option<Waker> {
        let before = self.item()?.watch.swap(u8::from(watched), Ordering::AcqRel);
        if before == WATCHED && !watched { self.take_waker() } else { None }
    }

    fn set_overdue(&self) -> Option<Waker> {
        let watch = &self.item()?.watch;
        let was_watched = watch.compare_exchange(WATCHED, OVERDUE, Ordering::AcqRel, Ordering::Relaxed);
        was_watched.ok().and_then(|_| self.take_waker())
    }
}

pub(super) fn numbered(number: u32, deadline: Option<Instant>) -> Arc<PendingItem<Item, u32>> {
    PendingItem::new(Item { number, deadline, watch: AtomicU8::new(UNWATCHED) })
}

pub(super) fn numbers(batch: &[Numbered]) -> Vec<u32> {
    batch.iter().filter_map(Sender::item).map(|item| item.number).collect()
}
