//! Stores that fail, or never reply.

use ratelimit::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
use ratelimit::{Error, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A store whose decisions fail with an error of this kind, or never come.
#[derive(Clone)]
pub(crate) struct BrokenStore {
    kind: Option<ErrorKind>,
    /// Whether it works again: every call is then admitted.
    pub(crate) works: Arc<AtomicBool>,
}

impl BrokenStore {
    pub(crate) fn failing(kind: ErrorKind) -> Self {
        Self { kind: Some(kind), works: Arc::default() }
    }

    pub(crate) fn silent() -> Self {
        Self { kind: None, works: Arc::default() }
    }

    fn reply<T: Send + 'static>(&self) -> Reply<T> {
        match self.kind {
            Some(kind) => Reply::ready(Err(Error::new(kind, "broken"))),
            None => Reply::pending(std::future::pending()),
        }
    }
}

impl Store for BrokenStore {
    fn decide(&self, _: Mode, requests: &[&Request]) -> Reply<Decisions> {
        if !self.works.load(Ordering::Relaxed) {
            return self.reply();
        }
        let allow = |request: &&Request| {
            ratelimit::Decision::allow(request.limit(), request.limit().capacity(), std::time::Duration::ZERO)
        };
        Reply::ready(Ok(requests.iter().map(allow).collect()))
    }

    fn adjust(&self, _: &[Adjustment]) -> Reply<Adjusted> {
        self.reply()
    }

    fn reset(&self, _: &[StoreKey]) -> Reply<u64> {
        self.reply()
    }
}
