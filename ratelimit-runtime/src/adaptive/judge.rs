//! Decides calls, and learns from their ends.

use super::controller::Controller;
use super::window::Window;
use super::{Adaptive, Began, End, Learning};
use crate::decision::Decision;
use crate::key::Name;
use crate::limit::Limit;
use crate::lock::lock;
use crate::observe::{LimitMetrics, Outcome};
use crate::rejection::Rejection;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::Instant;

/// The least time between two changes of the limit.
const STEP: Duration = Duration::from_millis(50);
/// The wait that a refused caller is told. The limit may have room much sooner.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// The fewest calls in flight that are kept for others, if `keep` is not smaller. Fewer are soon in use by chance.
const LEAST_KEPT: u32 = 4;

impl Adaptive {
    pub(super) fn admit_at(&self, keep: u32, now: Instant) -> Option<Began> {
        if keep > 0 && !self.has_kept.load(Ordering::Relaxed) {
            self.has_kept.store(true, Ordering::Relaxed);
        }
        let room = self.room(keep);
        let admitted = self.in_flight.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |others| {
            (others < room).then(|| others.saturating_add(1))
        });
        let Ok(others) = admitted else {
            self.reached.store(true, Ordering::Relaxed);
            self.metrics().count(Outcome::Limited, false, None);
            return None;
        };
        self.metrics().count(Outcome::Allowed, false, None);
        let (in_flight, free) = (others.saturating_add(1), self.free.load(Ordering::Relaxed));
        let joined = in_flight <= free && self.take_place();
        Some(Began { at: now, in_flight, joined, is_loaded: !joined && in_flight > free })
    }

    /// The calls in flight with which a call that keeps `keep` for others is refused.
    fn room(&self, keep: u32) -> u32 {
        let is_lowered = self.is_lowered.load(Ordering::Relaxed)
            && self.places.load(Ordering::Relaxed) > 0
            && (keep > 0 || !self.spares.load(Ordering::Relaxed));
        let room = if is_lowered { &self.free } else { &self.limit }.load(Ordering::Relaxed);
        room - kept(keep, room, self.ceiling)
    }

    fn take_place(&self) -> bool {
        self.places.load(Ordering::Relaxed) > 0 && self.places.fetch_sub(1, Ordering::Relaxed) > 0
    }

    pub(super) fn end_at(&self, began: Began, end: End, now: Instant) {
        self.in_flight.fetch_sub(1, Ordering::AcqRel);
        let mut learning = lock(&self.learning);
        let Learning { controller, window, stepped } = &mut *learning;
        let seconds = now.saturating_duration_since(began.at).as_secs_f64();
        match end {
            End::Succeeded if began.joined => window.group.add(began.in_flight, seconds),
            End::Succeeded if began.is_loaded => window.loaded.add(began.in_flight, seconds),
            End::Succeeded => {}
            End::Failed | End::Dropped => {
                window.lost += f64::from(u8::from(began.joined));
                window.failed += f64::from(u8::from(end == End::Failed));
            }
        }
        if stepped.is_some_and(|at| now.saturating_duration_since(at) < STEP) {
            return;
        }
        *stepped = Some(now);
        window.reached = self.reached.swap(false, Ordering::Relaxed);
        #[expect(clippy::cast_precision_loss, reason = "at most some hundred")]
        let has_group = controller.step(window, self.places.load(Ordering::Relaxed).max(0) as f64);
        *window = Window::NONE;
        self.publish(controller, has_group);
    }

    /// Makes the decisions of the controller visible to calls.
    fn publish(&self, controller: &Controller, has_group: bool) {
        self.limit.store(controller.limit(), Ordering::Relaxed);
        self.free.store(controller.free(), Ordering::Relaxed);
        self.is_lowered.store(controller.is_lowered(), Ordering::Relaxed);
        if has_group {
            self.spares.store(self.has_kept.swap(false, Ordering::Relaxed), Ordering::Relaxed);
        }
        if has_group || controller.places() == 0 {
            self.places.store(controller.places(), Ordering::Relaxed);
        }
    }

    fn metrics(&self) -> &'static LimitMetrics {
        self.metrics.get_or_init(|| LimitMetrics::named(self.name))
    }

    pub(super) fn rejection(&self) -> Rejection {
        let limit = Limit::counter(self.limit().max(1), RETRY_AFTER);
        Rejection::limited(
            Name::adaptive(self.name),
            Decision::refuse(&limit, 0, Some(RETRY_AFTER), RETRY_AFTER),
        )
    }
}

/// The part of `keep` that is left free at this limit.
pub(super) fn kept(keep: u32, limit: u32, ceiling: u32) -> u32 {
    let scaled = (u64::from(keep) * u64::from(limit)).div_ceil(u64::from(ceiling.max(1)));
    let scaled = u32::try_from(scaled).unwrap_or(u32::MAX);
    scaled.max(keep.min(LEAST_KEPT)).min(limit / 2)
}
