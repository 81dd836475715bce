//! `Taken`: what a call has taken from some slots of a cluster while it is decided about other slots.

use super::{Client, across_slots};
use crate::clock::timer;
use crate::decision::Decision;
use crate::error::Error;
use crate::store::{Adjustment, Awaited, Change, Request};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// The units, turns and permits that a call has taken. Dropping this value returns all of them in the background, which happens if
/// the call is dropped, misses its deadline, or cannot be decided.
pub(super) struct Taken<'c> {
    client: &'c Arc<Client>,
    runtime: Option<Handle>,
    returns: Vec<Adjustment>,
}

/// A return that the server has not executed is sent again after this time, and after pauses that double, at most
/// [`MOST_RETURNS`] times in all: for about 50 s.
const RETURNED_AGAIN_AFTER: Duration = Duration::from_millis(100);
const MOST_RETURNS: u32 = 10;

impl<'c> Taken<'c> {
    pub(super) fn new(client: &'c Arc<Client>) -> Self {
        Self { client, runtime: Handle::try_current().ok(), returns: Vec::new() }
    }

    /// Notes that a request was charged.
    pub(super) fn add(&mut self, request: &Request, decision: &Decision) {
        let stamp = if request.limit().is_concurrency() { request.permit() } else { decision.stamp() };
        self.returns.push(request.adjustment(request.cost(), Change::Give(stamp)));
    }

    pub(super) const fn len(&self) -> usize {
        self.returns.len()
    }

    /// Gives back what was taken after the first `len` requests, and waits until the server has replied. Dropping the future does
    /// not stop the return.
    pub(super) async fn give_back(&mut self, len: usize) {
        let returns = self.returns.split_off(len);
        if let Some(returning) = self.start(returns) {
            let _ = returning.await;
        }
    }

    /// Starts a task that returns units. The task ends when the server has replied to the first attempt. Another task makes
    /// further attempts.
    fn start(&self, returns: Vec<Adjustment>) -> Option<JoinHandle<()>> {
        let client = Arc::clone(self.client);
        let runtime = self.runtime.as_ref().filter(|_| !returns.is_empty())?;
        Some(runtime.spawn(async move {
            if let Err(error) = across_slots::adjust(&client, &returns, &Awaited::default()).await {
                tokio::spawn(give_back_again(client, returns, error));
            }
        }))
    }

    /// Ends this value without a return, because the call is decided.
    pub(super) fn keep(mut self) {
        self.returns.clear();
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let returns = std::mem::take(&mut self.returns);
        drop(self.start(returns));
    }
}

/// Repeats a return. Permits are returned even if the server may have executed the last return, because a second return changes
/// nothing.
async fn give_back_again(client: Arc<Client>, mut returns: Vec<Adjustment>, mut error: Error) {
    let mut pause = RETURNED_AGAIN_AFTER;
    for _ in 1..MOST_RETURNS {
        if !error.is_not_executed() {
            returns.retain(|change| change.limit().is_concurrency());
        }
        if returns.is_empty() || timer::sleep(pause).await.is_err() {
            break;
        }
        match across_slots::adjust(&client, &returns, &Awaited::default()).await {
            Ok(_) => return,
            Err(next) => (error, pause) = (next, 2 * pause),
        }
    }
    tracing::warn!(%error, "the units of an undecided stack stay charged, because they could not be returned");
}
