//! `Deciding`: a decision that waits for the reply of the store.

use super::decided::Decided;
use crate::error::Error;
use crate::limiter::RateLimiter;
use crate::store::{Decisions, Mode, PendingReply, Request, UntilDeadline};
use smallvec::SmallVec;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::time::Instant;

/// A future that owns its limiter and its requests. It is written by hand, because nearly every call of a remote store is one.
pub(super) struct Deciding {
    limiter: RateLimiter,
    mode: Mode,
    /// Empty if the reply keeps the request, which is then copied once.
    requests: Vec<Request>,
    sent: Instant,
    reply: UntilDeadline<Decisions>,
    is_polled: bool,
}

impl Deciding {
    pub(super) fn new(
        limiter: RateLimiter,
        began: Option<Instant>,
        reply: PendingReply<Decisions>,
        mode: Mode,
        requests: &[&Request],
    ) -> Self {
        let requests = match reply.request() {
            Some(_) => Vec::new(),
            None => requests.iter().copied().cloned().collect(),
        };
        let sent = Instant::now();
        let reply = limiter.shared.store.with_deadline(began.unwrap_or(sent), reply);
        Self { limiter, mode, requests, sent, reply, is_polled: false }
    }

    fn poll_decisions(&mut self, context: &mut Context<'_>) -> Poll<Result<Decisions, Error>> {
        if !self.is_polled {
            self.is_polled = true;
            self.limiter.take_over_tasks(self.sent);
            Error::unless_runtime()?;
        }
        Pin::new(&mut self.reply)
            .poll(context)
            .map(|result| result.unwrap_or_else(|| Err(self.limiter.shared.store.too_late())))
    }
}

impl Future for Deciding {
    type Output = Result<Decided, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let decisions = ready!(self.poll_decisions(context));
        let receive =
            |requests: &[&Request]| self.limiter.received(self.sent, decisions, self.mode, requests);
        Poll::Ready(match (self.reply.request(), self.requests.as_slice()) {
            (Some(request), _) | (None, [request]) => receive(&[request]),
            (None, requests) => receive(&requests.iter().collect::<SmallVec<[&Request; 4]>>()),
        })
    }
}
