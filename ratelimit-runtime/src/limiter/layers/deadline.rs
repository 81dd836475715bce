//! `Deadline`: the lowest layer, which asks the store and awaits its reply until the deadline.

use super::{Ask, Origin, Ready, invalid_reply};
use crate::clock::LONGEST_TIME;
use crate::coop::poll_yield;
use crate::error::{Error, ErrorKind};
use crate::observe::store_replied;
use crate::store::{Decisions, PendingReply, Reply, Request, Store, UntilDeadline};
use smallvec::SmallVec;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::Instant;

/// The store of a limiter, and the deadline of its replies.
pub(in crate::limiter) struct Deadline {
    store: Box<dyn Store>,
    /// It is short enough to be added to an `Instant`.
    within: Duration,
}

impl Deadline {
    pub(in crate::limiter) fn new(store: Box<dyn Store>, within: Duration) -> Self {
        Self { store, within: within.min(LONGEST_TIME) }
    }

    /// Returns the store itself, whose replies have no deadline.
    #[inline]
    pub(in crate::limiter) fn bare(&self) -> &dyn Store {
        &*self.store
    }

    /// Returns the time within which the store must reply.
    pub(in crate::limiter) const fn within(&self) -> Duration {
        self.within
    }

    /// Asks the store.
    #[inline]
    pub(super) fn decide<T>(&self, ask: Ask<'_>, then: impl FnOnce(Ready<'_>) -> T) -> Result<T, Asked> {
        let reply = self.store.decide(ask.mode, ask.requests);
        if let Some(decisions) = reply.ready_value().filter(|decisions| decisions.len() == ask.requests.len())
        {
            return Ok(then(Ok((Origin::Store, decisions))));
        }
        match reply {
            Reply::Ready(decisions) => Ok(then(Err(decisions.err().unwrap_or_else(invalid_reply)))),
            Reply::Pending(reply) => Err(Asked::new(self, ask, reply)),
        }
    }

    pub(in crate::limiter) async fn within_deadline<T: Unpin>(&self, reply: Reply<T>) -> Result<T, Error> {
        self.within_rest(None, reply).await
    }

    /// Awaits a reply for the rest of the deadline of a call. If the deadline has already passed, returns an error without
    /// polling the reply. A loop over a store that fails at once lets other tasks run: one of them looks for the server.
    pub(in crate::limiter) async fn within_rest<T: Unpin>(
        &self,
        began: Option<Instant>,
        reply: Reply<T>,
    ) -> Result<T, Error> {
        self.ensure_time(began)?;
        let result = match reply {
            Reply::Ready(result) => result,
            Reply::Pending(reply) => self.until_deadline(began.unwrap_or_else(Instant::now), reply).await,
        };
        if result.is_err() {
            poll_fn(poll_yield).await;
        }
        result
    }

    /// Returns an error if the deadline of a call has passed before the store is asked.
    #[inline]
    pub(in crate::limiter) fn ensure_time(&self, began: Option<Instant>) -> Result<(), Error> {
        match began {
            Some(began) if began.elapsed() >= self.within => Err(too_late(self.within)),
            _ => Ok(()),
        }
    }

    /// Awaits the reply to a request that was sent at `sent`. Returns an error when the deadline has passed.
    pub(in crate::limiter) async fn until_deadline<T>(
        &self,
        sent: Instant,
        reply: PendingReply<T>,
    ) -> Result<T, Error> {
        Error::unless_runtime()?;
        self.with_deadline(sent, reply).await.unwrap_or_else(|| Err(too_late(self.within)))
    }

    /// Adds the deadline to the reply to a request that was sent at `sent`.
    pub(in crate::limiter) fn with_deadline<T>(
        &self,
        sent: Instant,
        reply: PendingReply<T>,
    ) -> UntilDeadline<T> {
        UntilDeadline::new(reply, sent, self.within)
    }

    pub(in crate::limiter) fn too_late(&self) -> Error {
        too_late(self.within)
    }
}

fn too_late(within: Duration) -> Error {
    Error::new(ErrorKind::Timeout, format!("the store did not reply within {within:?}"))
}

/// The decisions of the store, until the deadline. It owns its requests. Nearly every call of a remote store has one, so it does
/// not move what it contains.
pub(in crate::limiter) struct Asked {
    pub(super) sent: Instant,
    within: Duration,
    reply: UntilDeadline<Decisions>,
    /// Empty if the reply keeps its request, which then need not be copied.
    requests: Vec<Request>,
}

impl Asked {
    fn new(deadline: &Deadline, ask: Ask<'_>, reply: PendingReply<Decisions>) -> Self {
        let requests = match reply.request() {
            Some(_) => Vec::new(),
            None => ask.requests.iter().copied().cloned().collect(),
        };
        let sent = Instant::now();
        let reply = deadline.with_deadline(ask.began.unwrap_or(sent), reply);
        Self { sent, within: deadline.within, reply, requests }
    }

    /// Passes the requests to `read`.
    pub(super) fn read<T>(&self, read: impl FnOnce(&[&Request]) -> T) -> T {
        match (self.reply.request(), self.requests.as_slice()) {
            (Some(request), _) | (None, [request]) => read(&[request]),
            (None, requests) => read(&requests.iter().collect::<SmallVec<[&Request; 4]>>()),
        }
    }
}

impl Future for Asked {
    type Output = Result<Decisions, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Error::unless_runtime()?;
        let decisions = ready!(Pin::new(&mut self.reply).poll(context));
        let decisions = decisions.unwrap_or_else(|| Err(too_late(self.within)));
        store_replied(self.sent);
        let asked = if self.requests.is_empty() { 1 } else { self.requests.len() };
        Poll::Ready(decisions.and_then(|decisions| {
            if decisions.len() == asked { Ok(decisions) } else { Err(invalid_reply()) }
        }))
    }
}
