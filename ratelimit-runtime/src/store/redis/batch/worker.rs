//! The worker: a task that takes waiting calls from a queue and sends them in batches.

use super::group::{self, Group, GroupOutcome};
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::store::redis::client::Client;
use crate::store::redis::connect::UNRESPONSIVE_AFTER;
use crate::store::redis::server::Session;
use crate::store::redis::topology::key_slot;
use crate::store::redis::waiting::{QueuedCall, QueuedRequest, Worker};
use crate::store::{Mode, Request};
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

/// Sends batches until no call waits.
pub(super) async fn run(client: Arc<Client>, session: Arc<Session>, mut worker: Worker<QueuedCall>) {
    loop {
        // Calls that are ready to run enter the queue first, and so are part of the batch.
        tokio::task::yield_now().await;
        let calls = worker.take(QueuedCall::is_wanted, Instant::now());
        if calls.is_empty() {
            return;
        }
        send(&client, &session, split(&client, calls)).await;
    }
}

/// The calls of one group while it is under way. If it is dropped before the reply has arrived, the callers receive an
/// error. Their requests may have been executed and are not sent again.
struct SentCalls {
    client: Arc<Client>,
    mode: Mode,
    calls: Vec<QueuedCall>,
}

impl SentCalls {
    fn is_wanted(&self) -> bool {
        self.calls.iter().any(QueuedCall::is_wanted)
    }

    fn requests(&self) -> Vec<&Request> {
        self.calls.iter().filter_map(QueuedCall::item).map(QueuedRequest::request).collect()
    }

    /// Gives each caller its decision. They are in the order of the requests.
    fn reply(mut self, decisions: Vec<Result<Decision, Error>>) {
        for (call, decision) in std::mem::take(&mut self.calls).into_iter().zip(decisions) {
            call.reply(decision);
        }
    }

    fn fail(mut self, error: &Error) {
        for call in std::mem::take(&mut self.calls) {
            call.reply(Err(error.clone()));
        }
    }

    /// Returns the calls to their callers, because the server has refused the group. Each caller sends its request itself
    /// and receives the error that concerns it.
    ///
    /// The server has executed nothing, except if a key of this store holds a foreign value that looks like a state. Then
    /// the requests before that key count twice. Otherwise such a key would refuse the calls of others.
    fn return_unsent(mut self) {
        self.calls.clear();
    }
}

impl Drop for SentCalls {
    fn drop(&mut self) {
        for call in std::mem::take(&mut self.calls) {
            call.reply(Err(self.client.endpoint().error(
                ErrorKind::Unavailable,
                "lost the reply of",
                "the runtime that waited for it has shut down",
            )));
        }
    }
}

/// Splits calls by mode, and by slot if all keys of a script call must be on one slot.
fn split(client: &Arc<Client>, calls: Vec<QueuedCall>) -> Vec<SentCalls> {
    let one_slot = client.requires_one_slot();
    let mut groups: BTreeMap<(bool, Option<u16>), SentCalls> = BTreeMap::new();
    for call in calls {
        let Some(queued) = call.item() else { continue };
        let mode = queued.mode();
        let group = (mode == Mode::Charge, one_slot.then(|| key_slot(queued.request().key().as_bytes())));
        let new = || SentCalls { client: Arc::clone(client), mode, calls: Vec::new() };
        groups.entry(group).or_insert_with(new).calls.push(call);
    }
    groups.into_values().collect()
}

async fn send(client: &Arc<Client>, session: &Arc<Session>, sent: Vec<SentCalls>) {
    let outcomes = {
        let requests: Vec<Vec<&Request>> = sent.iter().map(SentCalls::requests).collect();
        let groups: Vec<Group<'_>> = sent
            .iter()
            .zip(&requests)
            .map(|(sent, requests)| Group::new(client, sent.mode, requests))
            .collect();
        let mut sending = pin!(group::send(client, session, &groups));
        loop {
            match tokio::time::timeout(UNRESPONSIVE_AFTER, sending.as_mut()).await {
                Ok(outcomes) => break outcomes,
                Err(_) if sent.iter().any(SentCalls::is_wanted) => {}
                // All callers have given up.
                Err(_) => return,
            }
        }
    };
    for (sent, outcome) in sent.into_iter().zip(outcomes) {
        match outcome {
            GroupOutcome::Decided(decisions) => sent.reply(decisions),
            GroupOutcome::Failed(error) => sent.fail(&error),
            GroupOutcome::Refused => sent.return_unsent(),
        }
    }
}
