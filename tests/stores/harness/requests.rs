//! Requests and adjustments of the tests. A number identifies a key.

use ratelimit::store::{Adjustment, Change, Mode, Request, Store, StoreKey};
use ratelimit::{Decision, Error, Limit};

#[derive(Clone, Copy, Debug)]
pub(crate) struct TestRequest {
    pub(crate) key: usize,
    pub(crate) limit: Limit,
    pub(crate) cost: u32,
    pub(crate) keep: u32,
    /// 0 for a request without a caller.
    pub(crate) caller: u64,
    pub(crate) permit: u64,
    pub(crate) with_next: bool,
}

impl TestRequest {
    pub(crate) const fn new(key: usize, limit: Limit, cost: u32) -> Self {
        Self { key, limit, cost, keep: 0, caller: 0, permit: 1, with_next: false }
    }

    pub(crate) const fn with_permit(self, permit: u64) -> Self {
        Self { permit, ..self }
    }

    pub(crate) const fn with_caller(self, caller: u64) -> Self {
        Self { caller, ..self }
    }

    pub(crate) const fn with_keep(self, keep: u32) -> Self {
        Self { keep, ..self }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TestAdjustment {
    pub(crate) key: usize,
    pub(crate) limit: Limit,
    pub(crate) units: u32,
    pub(crate) change: Change,
}

/// The store's key for a number and an algorithm.
pub(crate) fn key(number: usize, limit: &Limit) -> String {
    format!("t:{{{number}}}:{}", limit.algorithm().as_str())
}

pub(crate) async fn decide(
    store: &dyn Store,
    mode: Mode,
    requests: &[TestRequest],
) -> Result<Vec<Decision>, Error> {
    let keys: Vec<String> = requests.iter().map(|request| key(request.key, &request.limit)).collect();
    let requests: Vec<Request> = requests
        .iter()
        .zip(&keys)
        .map(|(test, key)| {
            let request = Request::new(StoreKey::new(key.as_bytes()), test.limit, test.cost);
            let request = request.with_permit(test.permit).with_keep(test.keep);
            let request = if test.caller > 0 { request.with_caller(test.caller) } else { request };
            if test.with_next { request.with_next() } else { request }
        })
        .collect();
    let requests: Vec<&Request> = requests.iter().collect();
    store.decide(mode, &requests).await.map(|decisions| decisions.to_vec())
}

/// The units in use under a key.
pub(crate) async fn used_under(store: &dyn Store, key: usize, limit: Limit) -> u32 {
    let peeked = decide(store, Mode::Peek, &[TestRequest::new(key, limit, 1)]).await.unwrap();
    limit.count() - peeked[0].remaining()
}

pub(crate) async fn adjust(store: &dyn Store, adjustments: &[TestAdjustment]) -> Result<Vec<u32>, Error> {
    let keys: Vec<String> = adjustments.iter().map(|test| key(test.key, &test.limit)).collect();
    let adjustments: Vec<Adjustment> = adjustments
        .iter()
        .zip(&keys)
        .map(|(test, key)| {
            Adjustment::new(StoreKey::new(key.as_bytes()), test.limit, test.units, test.change)
        })
        .collect();
    store.adjust(&adjustments).await.map(|adjusted| adjusted.to_vec())
}
