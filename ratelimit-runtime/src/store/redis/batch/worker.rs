//! The worker: a task that takes waiting calls from a queue and sends them in batches.

use super::group::{self, Group, GroupOutcome};
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::store::redis::client::Client;
use crate::store::redis::connect::UNRESPONSIVE_AFTER;
use crate::store::redis::server::Session;
use crate::store::redis::topology::key_slot;
use crate::store::redis::waiting::{CallItem, CallSender, Worker};
use crate::store::{Mode, Request};
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

/// Sends batches until no call waits.
pub(super) async fn run(client: Arc<Client>, session: Arc<Session>, mut worker: Worker<CallSender>) {
    loop {
        // Let other tasks that are ready enter their calls, so that they are part of the batch.
        tokio::task::yield_now().await;
        let calls = worker.take(CallSender::is_wanted, Instant::now());
        if calls.is_empty() {
            return;
        }
        send(&client, &session, split(&client, calls)).await;
    }
}

/// The calls of one group. If they are dropped before they have a reply, the callers receive an error. Their requests may
/// have been executed, so they are not sent again.
struct GroupCalls {
    client: Arc<Client>,
    mode: Mode,
    calls: Vec<CallSender>,
}

impl GroupCalls {
    fn is_wanted(&self) -> bool {
        self.calls.iter().any(CallSender::is_wanted)
    }

    fn requests(&self) -> Vec<&Request> {
        self.calls.iter().filter_map(CallSender::item).map(CallItem::request).collect()
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

    /// Returns the calls to their callers, because the server has rejected the script call. Each caller sends its request
    /// itself and receives the error that concerns it.
    ///
    /// The script has written nothing, with one exception: it has met a foreign list that looks like a sliding log until it is
    /// written. The requests before that value are charged already, and count twice. If they were not sent again, one such
    /// key would fail the calls of all callers in its batches.
    fn send_one_by_one(mut self) {
        self.calls.clear();
    }
}

impl Drop for GroupCalls {
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
fn split(client: &Arc<Client>, calls: Vec<CallSender>) -> Vec<GroupCalls> {
    let one_slot = client.requires_one_slot();
    let mut by_group: BTreeMap<(bool, Option<u16>), GroupCalls> = BTreeMap::new();
    for call in calls {
        let Some(item) = call.item() else { continue };
        let mode = item.mode();
        let group = (mode == Mode::Charge, one_slot.then(|| key_slot(item.request().key().as_bytes())));
        let new = || GroupCalls { client: Arc::clone(client), mode, calls: Vec::new() };
        by_group.entry(group).or_insert_with(new).calls.push(call);
    }
    by_group.into_values().collect()
}

async fn send(client: &Arc<Client>, session: &Arc<Session>, by_group: Vec<GroupCalls>) {
    let outcomes = {
        let requests: Vec<Vec<&Request>> = by_group.iter().map(GroupCalls::requests).collect();
        let groups: Vec<Group<'_>> = by_group
            .iter()
            .zip(&requests)
            .map(|(calls, requests)| Group::new(client, calls.mode, requests))
            .collect();
        let mut sending = pin!(group::send(client, session, &groups));
        loop {
            match tokio::time::timeout(UNRESPONSIVE_AFTER, sending.as_mut()).await {
                Ok(outcomes) => break outcomes,
                Err(_) if by_group.iter().any(GroupCalls::is_wanted) => {}
                // All callers have given up.
                Err(_) => return,
            }
        }
    };
    for (calls, outcome) in by_group.into_iter().zip(outcomes) {
        match outcome {
            GroupOutcome::Decided(decisions) => calls.reply(decisions),
            GroupOutcome::Failed(error) => calls.fail(&error),
            GroupOutcome::SendOneByOne => calls.send_one_by_one(),
        }
    }
}
