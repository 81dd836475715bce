//! Requests that reach a store at the same time, in a known order.

use super::requests::{TestRequest, decide};
use ratelimit::store::Mode;
use ratelimit::{Decision, Error, RedisStore};
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// A request that is on its way.
pub(crate) type Pending<'s> = Pin<Box<dyn Future<Output = Result<Vec<Decision>, Error>> + Send + 's>>;

/// Polls all requests once, in their order, and then until all are decided.
pub(crate) async fn join(mut pending: Vec<Pending<'_>>) -> Vec<Result<Decision, Error>> {
    let mut outcomes: Vec<_> = pending.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (pending, outcome) in
            pending.iter_mut().zip(&mut outcomes).filter(|(_, outcome)| outcome.is_none())
        {
            if let Poll::Ready(decided) = pending.as_mut().poll(context) {
                *outcome = Some(decided.map(|decisions| decisions[0]));
            }
        }
        if outcomes.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    outcomes.into_iter().flatten().collect()
}

/// One pending check for each request.
pub(crate) fn checks<'s>(store: &'s RedisStore, requests: &[TestRequest]) -> Vec<Pending<'s>> {
    in_mode(store, Mode::Check, requests)
}

/// One pending decision in this mode for each request.
pub(crate) fn in_mode<'s>(store: &'s RedisStore, mode: Mode, requests: &[TestRequest]) -> Vec<Pending<'s>> {
    let one = |request: &TestRequest| -> Pending<'s> {
        let request = *request;
        Box::pin(async move { decide(store, mode, &[request]).await })
    };
    requests.iter().map(one).collect()
}
