//! `TakenPermit`: one permit in the table of [`Permits`](super::Permits), and when it is renewed, returned and forgotten.

use crate::decision::Source;
use crate::limit::Limit;
use crate::store::{Adjustment, Change, Request};
use crate::tasks::Counted;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Id;
use tokio::sync::Notify;
use tokio::time::Instant;

/// A permit is renewed after the time of its lease divided by this number.
const RENEWED_AFTER: u32 = 3;
/// A return that has failed is sent again after this time.
const RELEASED_AGAIN_AFTER: Duration = Duration::from_millis(100);
/// A request that is executed later than this after it was sent is not expected.
const LATEST_EXECUTION: Duration = Duration::from_secs(60);

/// A failed renewal is tried again after this time. After the same time, other runtimes renew a permit that its own runtime
/// has not renewed.
pub(super) fn retried_after(limit: &Limit) -> Duration {
    limit.time() / 9
}

/// The state of a permit, as the limiter knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// A call holds it.
    Held,
    /// It is being returned. The store has replied to the request that took it, so any reply to the return is final.
    Returned,
    /// The reply to a request that may take it has not arrived. It is being returned.
    ///
    /// A return that finds the permit is final. A return that finds nothing is not final: on a new connection, it may overtake
    /// the request. So the return is sent again, after pauses that double. If the request took the permit late, a return finds it
    /// after at most about twice that delay. If the call may have left a ticket, a return may find the ticket and overtake the
    /// request for the permit, so no reply is final.
    Lost,
}

pub(super) struct TakenPermit {
    pub(super) request: Request,
    pub(super) source: Source,
    /// The runtime that renews the permit: the one in which it was taken, or the last one that took it over.
    pub(super) runtime: Option<Id>,
    /// When the permit's own runtime renews or returns it.
    pub(super) due: Instant,
    pub(super) stage: Stage,
    /// When the store certainly no longer holds it, unless it is renewed.
    ends: Instant,
    /// How long to wait before the next return.
    pause: Duration,
    /// Counts the return as a background task until the store has replied.
    unanswered: Option<Counted>,
}

impl TakenPermit {
    pub(super) fn held(request: &Request, source: Source, runtime: Option<Id>) -> Self {
        let (request, now, pause) = (request.clone(), Instant::now(), RELEASED_AGAIN_AFTER);
        let stage = Stage::Held;
        let mut permit =
            Self { request, source, runtime, due: now, stage, ends: now, pause, unanswered: None };
        permit.renewed(now);
        permit
    }

    /// The same permit, whose return is sent now, and again if there is no reply within `patience`.
    pub(super) fn released(self, stage: Stage, patience: Duration, task: Counted) -> Self {
        let now = Instant::now();
        // A request that is executed late starts a lease late.
        let ends = now + self.request.limit().time() + LATEST_EXECUTION;
        Self { stage, due: now + patience.max(self.pause), ends, unanswered: Some(task), ..self }
    }

    /// How the permit is renewed or returned.
    pub(super) fn change(&self) -> Adjustment {
        let id = self.request.permit();
        let change = if self.stage == Stage::Held { Change::Renew(id) } else { Change::Give(id) };
        self.request.adjustment(self.request.cost(), change)
    }

    /// When this runtime renews or returns the permit. Other runtimes renew the permit later than its own runtime.
    pub(super) fn due_in(&self, runtime: Id) -> Instant {
        if self.runtime == Some(runtime) { self.due } else { self.overdue() }
    }

    /// When other runtimes renew or return the permit.
    pub(super) fn overdue(&self) -> Instant {
        let later = if self.stage == Stage::Held { self.retry_delay() } else { Duration::ZERO };
        self.due + later
    }

    fn retry_delay(&self) -> Duration {
        if self.stage == Stage::Held { retried_after(self.request.limit()) } else { self.pause }
    }

    /// Notes that the renewal or the return is sent by this runtime, which is responsible for the permit from now on.
    pub(super) fn sent(&mut self, runtime: Id, now: Instant) {
        self.runtime = Some(runtime);
        self.due = now + self.retry_delay();
    }

    /// Notes that the lease was renewed by a request that was sent at `sent`.
    pub(super) fn renewed(&mut self, sent: Instant) {
        if self.stage == Stage::Held {
            self.due = sent + self.request.limit().time() / RENEWED_AFTER;
            self.ends = sent + self.request.limit().time();
        }
    }

    /// Notes that a return has found this many units. Returns whether the permit need not be returned again.
    pub(super) fn returned(&mut self, units: u32) -> bool {
        let may_have_a_ticket = self.request.limit().wait_ms() > 0;
        if self.stage != Stage::Lost || units > 0 && !may_have_a_ticket {
            return true;
        }
        self.unanswered = None;
        self.pause = self.pause.saturating_mul(2);
        self.due = Instant::now() + self.pause;
        false
    }

    /// Whether the store no longer holds the permit, also if it executes all requests late.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.stage != Stage::Held && self.ends <= now
    }
}

/// The most permits of calls without a reply that are remembered. A further one pushes out the oldest, which is then free
/// when its lease ends.
pub(super) const MOST_LOST: usize = 16_384;
/// By source and id, because a permit of the store and a permit of the local memory may have the same id.
pub(super) type PermitId = (Source, u64);

#[derive(Default)]
pub(super) struct Table {
    /// In the order of their ids, so that a simulation sends the same requests each time.
    pub(super) permits: BTreeMap<PermitId, TakenPermit>,
    /// The permits that were lost, the oldest first. Some may have been returned meanwhile.
    pub(super) lost: VecDeque<PermitId>,
    /// The renewing tasks, at most one for each runtime.
    pub(super) renewers: Vec<Sleeping>,
}

/// The renewing task of a runtime.
pub(super) struct Sleeping {
    pub(super) runtime: Id,
    /// When the task wakes by itself.
    pub(super) until: Instant,
    pub(super) woken: Arc<Notify>,
}

impl Table {
    pub(super) fn insert(&mut self, id: PermitId, permit: TakenPermit) {
        if permit.stage == Stage::Lost {
            self.lost.push_back(id);
            if self.lost.len() > MOST_LOST
                && let Some(oldest) = self.lost.pop_front()
            {
                self.permits.remove(&oldest);
            }
        }
        self.permits.insert(id, permit);
    }

    /// Notes that a permit was renewed by a request that was sent at `sent`.
    pub(super) fn renewed(&mut self, id: PermitId, sent: Instant) {
        if let Some(permit) = self.permits.get_mut(&id) {
            permit.renewed(sent);
        }
    }

    /// Notes that a return has found this many units.
    pub(super) fn returned(&mut self, id: PermitId, units: u32) {
        if self.permits.get_mut(&id).is_some_and(|permit| permit.returned(units)) {
            self.permits.remove(&id);
        }
    }

    /// Notes that a return has failed.
    pub(super) fn failed(&mut self, id: PermitId) {
        if let Some(permit) = self.permits.get_mut(&id) {
            permit.due = Instant::now() + RELEASED_AGAIN_AFTER;
        }
    }
}
