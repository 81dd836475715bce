//! Concurrent requests to a store, in a known order.

use super::requests::{TestRequest, decide};
use ratelimit::store::{Mode, Request, Store, StoreKey};
use ratelimit::{Decision, Error, ErrorKind, Limit, RedisStore};
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// A request that has no reply yet.
pub(crate) type Pending<'s> = Pin<Box<dyn Future<Output = Result<Vec<Decision>, Error>> + Send + 's>>;

/// Polls all requests once in their order, and then repeatedly until all have a decision.
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

/// Returns one pending check for each request.
pub(crate) fn checks<'s>(store: &'s RedisStore, requests: &[TestRequest]) -> Vec<Pending<'s>> {
    in_mode(store, Mode::Check, requests)
}

/// Makes a check for each of the keys `before`, then a check for a key that the user may not access, and then a check for each
/// of the keys `after`. Only the check for the forbidden key must fail.
pub(crate) async fn forbidden_among(store: &RedisStore, limit: Limit, before: &[usize], after: &[usize]) {
    let requests = |keys: &[usize]| -> Vec<_> {
        checks(store, &keys.iter().map(|key| TestRequest::new(*key, limit, 1)).collect::<Vec<_>>())
    };
    let forbidden: Pending<'_> = Box::pin(async move {
        let request = Request::new(StoreKey::new(b"other:{1}"), limit, 1);
        store.decide(Mode::Check, &[&request]).await.map(|decisions| decisions.to_vec())
    });
    let mut all = requests(before);
    all.push(forbidden);
    all.extend(requests(after));
    for (at, answer) in join(all).await.into_iter().enumerate() {
        match answer {
            Err(error) => {
                assert!(at == before.len() && error.kind() == ErrorKind::Configuration, "{at}: {error}");
                assert!(error.to_string().contains("NOPERM: no permission to access a key"), "{error}");
            }
            Ok(decision) => assert!(at != before.len() && decision.is_allowed()),
        }
    }
}

/// Returns one pending decision in this mode for each request.
pub(crate) fn in_mode<'s>(store: &'s RedisStore, mode: Mode, requests: &[TestRequest]) -> Vec<Pending<'s>> {
    let one = |request: &TestRequest| -> Pending<'s> {
        let request = *request;
        Box::pin(async move { decide(store, mode, &[request]).await })
    };
    requests.iter().map(one).collect()
}
