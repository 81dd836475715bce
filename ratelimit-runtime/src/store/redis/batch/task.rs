//! The task of a session: sends the calls of the queue in batches, reads and writes the socket, and judges the deadlines.

use super::group::{Group, OneOrMore, split};
use super::sending::{Replies, probe, send};
use super::signal::{Part, Task};
use crate::clock::DeadlineTimer;
use crate::store::redis::client::Client;
use crate::store::redis::connect::{Borrowed, UNRESPONSIVE_AFTER};
use crate::store::redis::server::{SendError, Session};
use crate::store::redis::waiting::{CallSender, Taker, earlier, judge};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker, ready};
use tokio::time::Instant;

/// Sends what waits in the queue until the session is dropped.
///
/// If the task is dropped, the callers of the waiting calls learn that nothing was sent. The callers of the batches under way
/// receive an error, because nobody knows whether their requests were executed.
pub(super) struct SessionTask {
    client: Weak<Client>,
    session: Weak<Session>,
    taker: Taker,
    task: Arc<Task>,
    batches: Vec<Batch>,
    replies: Part,
    /// The socket of the connection, if there is one. Nothing is written or read unless the task polls it.
    socket: Option<Borrowed>,
    io: Part,
    has_yielded: bool,
    /// The time of the next look at the deadlines. It may be too early, because the call with this deadline may have its reply.
    look: Option<(Instant, DeadlineTimer)>,
}

impl SessionTask {
    pub(super) fn new(client: &Arc<Client>, session: &Arc<Session>, taker: Taker) -> Self {
        let task = Arc::default();
        Self {
            client: Arc::downgrade(client),
            session: Arc::downgrade(session),
            taker,
            batches: Vec::new(),
            replies: Part::of(&task),
            socket: None,
            io: Part::of(&task),
            task,
            has_yielded: false,
            look: None,
        }
    }

    /// Sends all batches that may be sent now. Returns the time at which to look at the deadlines.
    fn send_batches(&mut self, session: &Arc<Session>, context: &mut Context<'_>) -> Option<Instant> {
        loop {
            let look = self.batches.iter().map(|batch| batch.look).min();
            // While the server is unhealthy, a batch fails at once, so it needs no place.
            let under_way = if session.is_unhealthy() { 0 } else { self.batches.len() };
            let (calls, look) = self.taker.take(under_way, Instant::now, look, context.waker());
            if calls.is_empty() {
                return look;
            }
            let Some(client) = self.client.upgrade() else { continue };
            let mut batch = Batch::new(client, session, calls);
            if batch.poll(session, &mut self.replies.context()).is_pending() {
                self.batches.push(batch);
            }
        }
    }

    /// Writes what was sent and reads what has arrived.
    fn poll_socket(&mut self, session: &Session) {
        let is_new = session.borrow_socket(&mut self.socket);
        if (self.io.take() || is_new)
            && let Some(socket) = &self.socket
        {
            socket.poll(&mut self.io.context());
        }
    }

    /// Takes the reply to one batch, if it has arrived. Returns the number of calls that it wakes. The replies to several batches
    /// often arrive together. If they were taken together, the next batches would leave together too, and the server would be idle
    /// while all of these calls run.
    fn poll_batches(&mut self, session: &Arc<Session>) -> usize {
        if self.replies.take() {
            for at in 0..self.batches.len() {
                if let Poll::Ready(calls) = self.batches[at].poll(session, &mut self.replies.context()) {
                    self.batches.remove(at);
                    self.replies.wake();
                    return calls;
                }
            }
        }
        0
    }

    /// Looks at the deadlines at this time. Returns `false` if it is too early.
    fn look(&mut self, at: Option<Instant>, context: &mut Context<'_>) -> bool {
        if let Some(at) = at
            && self.look.as_ref().is_none_or(|(next, _)| at < *next)
        {
            self.look = Some((at, DeadlineTimer::new(at)));
        }
        if self.look.as_mut().is_none_or(|(_, timer)| timer.poll(context).is_pending()) {
            return false;
        }
        let (now, mut overdue) = (Instant::now(), Vec::new());
        self.look = None;
        self.batches.retain_mut(|batch| batch.judge(now, &mut overdue));
        overdue.into_iter().for_each(Waker::wake);
        self.taker.look(now);
        true
    }
}

impl Future for SessionTask {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let Some(session) = this.session.upgrade() else { return Poll::Ready(()) };
        this.task.wakes_up(context);
        for _ in 0..ROUNDS {
            this.poll_socket(&session);
            this.has_yielded = !this.has_yielded && this.poll_batches(&session) > 1;
            if this.has_yielded {
                // The woken callers run first. The calls that they enter become part of the next batch.
                break;
            }
            loop {
                let look = this.send_batches(&session, context);
                this.poll_socket(&session);
                // A deadline is judged only after all replies that were read.
                if this.replies.is_woken() || !this.look(look, context) {
                    break;
                }
            }
            this.task.falls_asleep();
            if !this.io.is_woken() && !this.replies.is_woken() {
                return Poll::Pending;
            }
            this.task.wakes_up(context);
        }
        this.task.falls_asleep();
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

/// After this many rounds, the task lets the other tasks of its runtime run.
const ROUNDS: u8 = 4;

/// Calls that were taken from the queue together, and are under way.
struct Batch {
    client: Arc<Client>,
    groups: OneOrMore<Group>,
    sending: Pin<Box<dyn Future<Output = Replies> + Send>>,
    /// The time at which to look at the deadlines of the calls, and whether anybody still waits for them.
    look: Instant,
}

impl Batch {
    /// Makes as few script calls as the server permits.
    fn new(client: Arc<Client>, session: &Arc<Session>, calls: Vec<CallSender>) -> Self {
        let deadlines = calls.iter().filter(|call| !call.is_overdue()).map(|call| call.deadline);
        let look = deadlines.fold(None, earlier).unwrap_or_else(|| Instant::now() + UNRESPONSIVE_AFTER);
        let is_cluster = client.topology.is_cluster();
        let any_slot = if is_cluster { session.any_slot() } else { None };
        let (groups, script_calls) = split(&client, calls, any_slot == Some(true));
        let probe = if is_cluster && any_slot.is_none() { probe(&client, &groups) } else { None };
        let sending = Box::pin(send(Arc::clone(session), script_calls, probe));
        Self { client, groups, sending, look }
    }

    /// Polls the batch until each caller has its decision, an error, or its own request back. Returns the number of calls.
    fn poll(&mut self, session: &Arc<Session>, context: &mut Context<'_>) -> Poll<usize> {
        let replies = ready!(self.sending.as_mut().poll(context));
        let groups = std::mem::take(&mut self.groups);
        let calls = groups.iter().map(|group| group.calls.len()).sum();
        match replies {
            Ok(replies) => {
                for (group, reply) in groups.into_iter().zip(replies) {
                    group.finish(session, reply);
                }
            }
            // Nothing was sent. Each caller sends its request itself, because another node may have taken over the slots.
            Err(SendError::NotConnected(_)) if self.client.topology.is_cluster() => {
                groups.into_iter().for_each(Group::send_one_by_one);
            }
            Err(failed) => {
                self.client.topology.note_failure();
                let error = self.client.explain(failed);
                groups.into_iter().for_each(|group| group.fail(&error));
            }
        }
        Poll::Ready(calls)
    }

    /// Wakes the callers whose deadlines have passed. Returns whether any caller has waited until now. Without this, a reply that
    /// never comes would hold the batch's place for ever.
    fn judge(&mut self, now: Instant, overdue: &mut Vec<Waker>) -> bool {
        if now < self.look {
            return true;
        }
        let calls = || self.groups.iter().flat_map(|group| &group.calls);
        let is_wanted = calls().any(CallSender::is_wanted);
        self.look = judge(calls(), now, overdue).unwrap_or(now + UNRESPONSIVE_AFTER);
        is_wanted
    }
}
