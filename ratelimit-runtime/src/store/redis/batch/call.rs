//! `QueuedCall`: a call that waits until the task of its session has sent its request.

use super::task::SessionTask;
use crate::error::{Error, ErrorKind};
use crate::store::redis::client::Client;
use crate::store::redis::server::Session;
use crate::store::redis::topology::key_slot;
use crate::store::redis::waiting::{CallOutcome, Entered, PendingCall, QUEUE_CAPACITY};
use crate::store::{Awaited, DeadlineWatch, Decisions, MissedDeadline, Mode, QueuedReply, Request};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::time::Instant;

type Boxed<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// A call that decides about one request. If the call is dropped before the request was sent, the request is not sent.
///
/// Nearly all decisions are such calls, so the future must be cheap. It is written by hand, not as an async function.
pub(crate) struct QueuedCall {
    client: Arc<Client>,
    call: Arc<PendingCall>,
    began: Option<Instant>,
    /// Notifies the observer of the reply that the call waits for, if the call misses its deadline.
    awaited: Option<Arc<Awaited>>,
    step: Step,
}

enum Step {
    Start,
    /// Waits until the slots of the cluster are known.
    FindSession(Boxed<Arc<Session>>),
    /// Waits in the queue of the session, or for the reply to its batch.
    Wait(Arc<Session>),
    /// Sends the request itself, because the task of the session has not sent it.
    Send(Boxed<Decisions>),
}

impl QueuedCall {
    pub(crate) fn new(client: Arc<Client>, mode: Mode, request: &Request) -> Self {
        // Copies the request. The sender and the caller share this copy.
        let call = PendingCall::new(mode, request.clone());
        Self { client, call, began: None, awaited: None, step: Step::Start }
    }

    fn awaited(&mut self) -> Arc<Awaited> {
        Arc::clone(self.awaited.get_or_insert_default())
    }

    /// Finds the session of the server that decides, and enters its queue.
    fn start(&mut self) -> Result<Step, Error> {
        let slot = || key_slot(self.call.request.key().as_bytes());
        if let Some(session) = self.client.topology.known_session(slot) {
            return self.enter(session?);
        }
        let (slot, client, awaited) = (slot(), Arc::clone(&self.client), self.awaited());
        Ok(Step::FindSession(Box::pin(
            async move { client.topology.node(|| slot, &awaited).await?.session() },
        )))
    }

    /// Enters the queue of the session.
    fn enter(&mut self, session: Arc<Session>) -> Result<Step, Error> {
        match session.queue.enter(&self.call, || self.began.unwrap_or_else(Instant::now)) {
            Entered::Waits(None) => {}
            Entered::Waits(Some(taker)) => {
                drop(session.runtime.spawn(SessionTask::new(&self.client, &session, taker)));
            }
            Entered::Full => {
                return Err(self.client.endpoint().error(
                    ErrorKind::Unavailable,
                    "too many calls wait for",
                    format_args!("at most {QUEUE_CAPACITY} calls may wait"),
                ));
            }
        }
        if let Some(awaited) = &self.awaited {
            awaited.set(Arc::<Session>::clone(&session));
        }
        Ok(Step::Wait(session))
    }

    /// Sends the request without the task.
    fn send(&mut self) -> Step {
        let (client, call, awaited) = (Arc::clone(&self.client), Arc::clone(&self.call), self.awaited());
        Step::Send(Box::pin(async move { client.decide(call.mode, &[&call.request], &awaited).await }))
    }
}

impl QueuedReply<Decisions> for QueuedCall {
    fn request(&self) -> &Request {
        &self.call.request
    }

    fn poll_reply(&mut self, context: &mut Context<'_>) -> Poll<Result<Decisions, Error>> {
        loop {
            self.step = match &mut self.step {
                Step::Start => {
                    let call = Arc::get_mut(&mut self.call).map(|call| call.set_waker(context.waker()));
                    let next = self.start()?;
                    if call.is_some() && matches!(next, Step::Wait(_)) {
                        self.step = next;
                        return Poll::Pending;
                    }
                    next
                }
                Step::FindSession(finding) => {
                    let session = ready!(finding.as_mut().poll(context))?;
                    self.enter(session)?
                }
                Step::Wait(session) => match ready!(self.call.poll(context)) {
                    CallOutcome::Replied(decided) => {
                        session.received(&decided);
                        return Poll::Ready(decided.map(Decisions::one));
                    }
                    CallOutcome::NotSent => self.send(),
                },
                Step::Send(sending) => return sending.as_mut().poll(context),
            };
        }
    }

    fn set_deadline(&mut self, began: Instant, deadline: Instant) {
        self.began = Some(began);
        if let Some(call) = Arc::get_mut(&mut self.call) {
            call.deadline = Some(deadline);
        }
    }

    fn watch(&self) -> DeadlineWatch {
        match self.step {
            Step::Wait(_) if self.call.is_overdue() => DeadlineWatch::Overdue,
            Step::Wait(_) => DeadlineWatch::Watched,
            Step::Start | Step::FindSession(_) | Step::Send(_) => DeadlineWatch::Unwatched,
        }
    }

    fn observer(&mut self) -> Arc<dyn MissedDeadline> {
        let awaited = self.awaited();
        if let Step::Wait(session) = &self.step {
            awaited.set(Arc::<Session>::clone(session));
        }
        awaited
    }
}
