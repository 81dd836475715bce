//! The worker: a task that takes waiting calls from a queue and sends them in batches.

use super::group::{self, Group, GroupOutcome, Probe};
use crate::error::{Error, ErrorKind};
use crate::store::redis::client::Client;
use crate::store::redis::connect::{AnySlot, UNRESPONSIVE_AFTER};
use crate::store::redis::script::mode_name;
use crate::store::redis::server::Session;
use crate::store::redis::topology::key_slot;
use crate::store::redis::waiting::{CallItem, CallSender, Worker};
use crate::store::{Mode, Request};
use redis::Value;
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use tokio::time::Instant;

/// Sends batches until no call waits.
pub(super) async fn run(client: Arc<Client>, session: Arc<Session>, mut worker: Worker<CallSender>) {
    loop {
        // Let other tasks that are ready enter their calls, so that they are part of the batch.
        tokio::task::yield_now().await;
        let (calls, look) = worker.take(Instant::now());
        if calls.is_empty() {
            return;
        }
        let any_slot = client.any_slot(&session);
        let is_permitted = any_slot.as_ref().and_then(|any_slot| *any_slot.lock());
        let by_group = split(&client, calls, is_permitted == Some(true));
        let probe = any_slot
            .clone()
            .filter(|_| is_permitted.is_none())
            .and_then(|any_slot| probe(&client, &by_group, any_slot));
        let permitted = any_slot.filter(|_| is_permitted == Some(true));
        send(&client, &session, by_group, permitted, probe, &mut worker, look).await;
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

    /// Gives each caller its decision.
    fn deliver(mut self, group: &Group, reply: &Value) {
        group.deliver(&self.client, reply, std::mem::take(&mut self.calls));
    }

    fn fail(mut self, error: &Error) {
        for call in std::mem::take(&mut self.calls) {
            call.reply(Err(error.clone()));
        }
    }

    /// Returns the calls to their callers, because the server has rejected the script call. Each caller sends its request
    /// itself and receives the error that concerns it.
    ///
    /// The script has written nothing, with one exception: a foreign list looks like a sliding log until the script writes to
    /// it. The requests before that list are charged already, and count twice. Without this repetition, one such key would
    /// fail the calls of all callers in its batches.
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
fn split(client: &Arc<Client>, calls: Vec<CallSender>, is_any_slot: bool) -> Vec<GroupCalls> {
    let one_slot = client.requires_one_slot() && !is_any_slot;
    let mode = |call: &CallSender| call.item().map(CallItem::mode);
    // Nearly all batches are one group, which keeps its list.
    if !one_slot
        && let Some(first) = calls.first().and_then(mode)
        && calls.iter().all(|call| mode(call) == Some(first))
    {
        return vec![GroupCalls { client: Arc::clone(client), mode: first, calls }];
    }
    let mut by_group: BTreeMap<(&str, Option<u16>), GroupCalls> = BTreeMap::new();
    for call in calls {
        let Some(item) = call.item() else { continue };
        let mode = item.mode();
        let group = (mode_name(mode), one_slot.then(|| key_slot(item.request().key().as_bytes())));
        let new = || GroupCalls { client: Arc::clone(client), mode, calls: Vec::new() };
        by_group.entry(group).or_insert_with(new).calls.push(call);
    }
    by_group.into_values().collect()
}

/// Creates a probe with keys of two slots, if there are two.
fn probe(client: &Client, by_group: &[GroupCalls], any_slot: Arc<AnySlot>) -> Option<Probe> {
    let mut keys = by_group.iter().filter_map(|group| Some(group.calls.first()?.item()?.request().key()));
    let first = keys.next()?;
    let second = keys.find(|key| key_slot(key.as_bytes()) != key_slot(first.as_bytes()))?;
    Some(Probe { command: client.any_slot_probe([first, second]), any_slot })
}

/// Sends the calls of a batch, and watches deadlines until the reply arrives. The first look at them is at `look`.
async fn send(
    client: &Arc<Client>,
    session: &Arc<Session>,
    by_group: Vec<GroupCalls>,
    permitted: Option<Arc<AnySlot>>,
    probe: Option<Probe>,
    worker: &mut Worker<CallSender>,
    mut look: Option<Instant>,
) {
    let groups: Vec<Group> = by_group
        .iter()
        .map(|calls| Group::new(client, calls.mode, &calls.requests(), permitted.as_ref()))
        .collect();
    let outcomes = {
        let mut sending = pin!(group::send(client, session, &groups, probe));
        let mut unresponsive = Instant::now() + UNRESPONSIVE_AFTER;
        loop {
            let until = look.map_or(unresponsive, |look| unresponsive.min(look));
            if let Ok(outcomes) = tokio::time::timeout_at(until, sending.as_mut()).await {
                break outcomes;
            }
            let now = Instant::now();
            if now >= unresponsive {
                if !by_group.iter().any(GroupCalls::is_wanted) {
                    // All callers have given up.
                    return;
                }
                unresponsive = now + UNRESPONSIVE_AFTER;
            }
            look = worker.look(by_group.iter().flat_map(|group| &group.calls), now);
        }
    };
    for ((calls, group), outcome) in by_group.into_iter().zip(&groups).zip(outcomes) {
        match outcome {
            GroupOutcome::Replied(reply) => calls.deliver(group, &reply),
            GroupOutcome::Failed(error) => calls.fail(&error),
            GroupOutcome::SendOneByOne => calls.send_one_by_one(),
        }
    }
}
