//! `TakenPermit`: one permit in the table of [`Permits`](super::Permits). It knows when it must be renewed, returned and
//! forgotten.

use crate::decision::Source;
use crate::limit::Limit;
use crate::store::{Adjustment, Change, Request};
use crate::tasks::Counted;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Id;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// A permit is renewed when its lease time divided by this number has passed.
const RENEWED_AFTER: u32 = 3;
/// A return that has failed is sent again after this time.
const RELEASED_AGAIN_AFTER: Duration = Duration::from_millis(100);
/// The longest time that is expected between the sending of a request and its execution.
const LATEST_EXECUTION: Duration = Duration::from_secs(60);

/// Returns the time after which a failed renewal is tried again. If the permit's own runtime is late by the same time, other
/// runtimes renew the permit.
pub(super) fn retried_after(limit: &Limit) -> Duration {
    limit.time() / 9
}

/// The state of a permit, as the limiter knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// A call holds the permit.
    Held,
    /// The permit is being returned. The store has replied to the request that took it, so any reply to the return is final.
    Returned,
    /// The permit is being returned. A request may have taken it, but no reply to that request has arrived.
    ///
    /// If a return finds the permit, the return is final. If it finds nothing, it is not final: on a new connection, the return
    /// may overtake the request. So the return is sent again, after pauses that double. If the store executes the request late, a
    /// return finds the permit after at most about twice that delay. If the call may have left a ticket, no return is final: a
    /// return may find the ticket and still overtake the request for the permit.
    Lost,
}

pub(super) struct TakenPermit {
    pub(super) request: Request,
    pub(super) source: Source,
    /// The runtime that renews the permit: the runtime in which the permit was taken, or the last runtime that has taken it
    /// over.
    pub(super) runtime: Option<Id>,
    /// The time at which the permit's own runtime renews or returns it.
    pub(super) due: Instant,
    pub(super) stage: Stage,
    /// The time at which the store may no longer hold the permit, if no later renewal is confirmed. If the permit is being
    /// returned: the time after which the store certainly no longer holds the permit.
    pub(super) ends: Instant,
    /// Tells the holder that it no longer has the permit: nothing is sent, but the sender is dropped. `None` until the holder
    /// asks.
    pub(super) holder: Option<watch::Sender<()>>,
    /// Whether the holder was told that the permit is lost, because no renewal was confirmed before the lease ended. The
    /// permit is renewed nevertheless, because the holder may go on.
    pub(super) is_lost: bool,
    /// The name of the limit, as metrics and log lines show it. Empty if the permit is being returned.
    pub(super) shown_name: &'static str,
    /// The pause before the next return.
    pause: Duration,
    /// Counts the return as a background task until the store has replied.
    unanswered: Option<Counted>,
}

impl TakenPermit {
    /// A permit that a request has taken, which was sent at `sent`. The lease began later, when the store executed the request.
    pub(super) fn held(request: &Request, source: Source, runtime: Option<Id>, sent: Instant) -> Self {
        let mut permit = Self {
            request: request.clone(),
            source,
            runtime,
            due: sent,
            stage: Stage::Held,
            ends: sent,
            holder: None,
            is_lost: false,
            shown_name: "",
            pause: RELEASED_AGAIN_AFTER,
            unanswered: None,
        };
        permit.renewed(sent);
        permit
    }

    /// Whether a call has the permit, as far as is known now.
    pub(super) fn is_held(&self) -> bool {
        self.stage == Stage::Held && !self.is_lost
    }

    /// Turns this permit into one whose return is sent now. The return is sent again if no reply arrives within `patience`.
    pub(super) fn released(self, stage: Stage, patience: Duration, task: Counted) -> Self {
        let now = Instant::now();
        // If the store executes the request for the permit late, the lease starts late, so the permit may last until this time.
        let ends = now + self.request.limit().time() + LATEST_EXECUTION;
        Self { stage, due: now + patience.max(self.pause), ends, unanswered: Some(task), ..self }
    }

    /// Returns the adjustment that renews or returns the permit.
    pub(super) fn change(&self) -> Adjustment {
        let id = self.request.permit();
        let change = if self.stage == Stage::Held { Change::Renew(id) } else { Change::Give(id) };
        self.request.adjustment(self.request.cost(), change)
    }

    /// Returns when this runtime must renew or return the permit. Other runtimes renew it later than its own runtime.
    pub(super) fn due_in(&self, runtime: Id) -> Instant {
        if self.runtime == Some(runtime) { self.due } else { self.overdue() }
    }

    /// Returns when other runtimes may renew or return the permit.
    pub(super) fn overdue(&self) -> Instant {
        let later = if self.stage == Stage::Held { self.retry_delay() } else { Duration::ZERO };
        self.due + later
    }

    fn retry_delay(&self) -> Duration {
        if self.stage == Stage::Held { retried_after(self.request.limit()) } else { self.pause }
    }

    /// Notes that this runtime sends the renewal or the return. From now on, this runtime is responsible for the permit.
    pub(super) fn sent(&mut self, runtime: Id, now: Instant) {
        self.runtime = Some(runtime);
        self.due = now + self.retry_delay();
    }

    /// Notes that a request that was sent at `sent` has renewed the lease.
    pub(super) fn renewed(&mut self, sent: Instant) {
        self.due = sent + self.request.limit().time() / RENEWED_AFTER;
        self.ends = sent + self.request.limit().time();
    }

    /// Notes that a return has found this many units. Returns whether the return was final.
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

    /// Whether the store certainly no longer holds the permit, even if it executes all requests late.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.stage != Stage::Held && self.ends <= now
    }
}

/// The maximum number of permits in stage [`Lost`](Stage::Lost). A further permit in this stage removes the oldest one from the
/// table. The removed permit is free when its lease ends.
pub(super) const MOST_LOST: usize = 16_384;
/// The source and the id of a permit. A permit of the store and a permit of the local memory may have the same id.
pub(super) type PermitId = (Source, u64);

#[derive(Default)]
pub(super) struct Table {
    /// The permits in the order of their ids, so that a simulation sends the same requests each time.
    pub(super) permits: BTreeMap<PermitId, TakenPermit>,
    /// The permits that became [`Lost`](Stage::Lost), the oldest first. Some may have been returned since.
    pub(super) lost: VecDeque<PermitId>,
    /// The renewing tasks. Each runtime has at most one.
    pub(super) renewers: Vec<Sleeping>,
}

/// The renewing task of a runtime.
pub(super) struct Sleeping {
    pub(super) runtime: Id,
    /// The time at which the task wakes if nothing wakes it before.
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
