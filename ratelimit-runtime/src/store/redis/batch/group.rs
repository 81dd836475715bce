//! Groups: requests of many callers that are sent to one server in one script call. Each mode has a separate group. In a
//! cluster whose servers do not permit keys of several slots in one call, each slot has a separate group, too.

use super::merge::Merged;
use crate::error::{Error, ErrorKind};
use crate::observe::batch_sent;
use crate::store::redis::client::Client;
use crate::store::redis::client::across_slots::is_one_slot;
use crate::store::redis::errors::is_not_executed_here;
use crate::store::redis::script::{ScriptCall, mode_name, single};
use crate::store::redis::server::{SendError, Session};
use crate::store::redis::topology::key_slot;
use crate::store::redis::waiting::CallSender;
use crate::store::{Mode, Request};
use redis::{RedisResult, Value};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Calls in order of arrival, whose requests are sent in one script call. The server accepts all their keys in one call.
///
/// If a group is dropped before its calls have a reply, the callers receive an error. The requests may have been executed, so
/// they are not sent again.
pub(super) struct Group {
    client: Arc<Client>,
    mode: Mode,
    pub(super) calls: Vec<CallSender>,
    /// The order of the requests in the script call. `None` if the group is a single request that a small script decides.
    merged: Option<Merged>,
    /// Whether the keys are on several slots of the node.
    is_any_slot: bool,
}

/// Nearly all batches are one group.
pub(super) type OneOrMore<T> = SmallVec<[T; 1]>;

/// Splits calls by mode, and by slot if all keys of a script call must be on one slot. `any_slot` says whether the server permits
/// keys of several slots. Also returns the script call of each group.
pub(super) fn split(
    client: &Arc<Client>,
    calls: Vec<CallSender>,
    any_slot: bool,
) -> (OneOrMore<Group>, OneOrMore<ScriptCall>) {
    let one_slot = client.requires_one_slot() && !any_slot;
    // Such a group takes the list of calls as it is.
    if !one_slot
        && let Some(mode) = calls.first().map(|call| call.mode)
        && calls.iter().all(|call| call.mode == mode)
    {
        let (group, script_call) = Group::new(client, mode, calls, any_slot);
        return (smallvec![group], smallvec![script_call]);
    }
    let mut by_group: BTreeMap<(&str, Option<u16>), Vec<CallSender>> = BTreeMap::new();
    for call in calls {
        let slot = one_slot.then(|| key_slot(call.request.key().as_bytes()));
        by_group.entry((mode_name(call.mode), slot)).or_default().push(call);
    }
    by_group.into_values().map(|calls| Group::new(client, calls[0].mode, calls, any_slot)).unzip()
}

impl Group {
    /// Creates a group and its script call.
    fn new(client: &Arc<Client>, mode: Mode, calls: Vec<CallSender>, any_slot: bool) -> (Self, ScriptCall) {
        batch_sent(calls.len());
        let client = Arc::clone(client);
        let requests: Vec<&Request> = calls.iter().map(|call| &call.request).collect();
        if let [request] = requests[..]
            && let Some(script_call) = client.single_call(mode, request)
        {
            return (Self { client, mode, calls, merged: None, is_any_slot: false }, script_call);
        }
        let merged = Merged::new(mode, &requests);
        let is_any_slot = any_slot && !is_one_slot(requests.iter().map(|request| request.key()));
        let script = if is_any_slot { &client.any_slot_decide } else { &client.decide };
        let script_call = ScriptCall::new(script, requests.len(), |command| {
            if is_any_slot {
                // The number of declared keys.
                command.arg(0);
            }
            merged.encode(&requests, is_any_slot, command);
        });
        (Self { client, mode, calls, merged: Some(merged), is_any_slot }, script_call)
    }

    /// Gives each caller its decision, or the error of the script call.
    pub(super) fn finish(self, session: &Arc<Session>, reply: RedisResult<Value>) {
        let error = match reply {
            Ok(reply) => return self.deliver(session, &reply),
            Err(error) => error,
        };
        let not_executed = is_not_executed_here(&error);
        let error = self.client.explain(SendError::Failed(Arc::clone(session), error));
        if error.is_transient() && !not_executed {
            self.client.topology.note_failure();
            self.fail(&error);
        } else {
            self.send_one_by_one();
        }
    }

    /// Gives each caller its decision.
    fn deliver(mut self, session: &Session, reply: &Value) {
        let mut replies = self.merged.as_ref().map(|merged| merged.replies(reply, self.is_any_slot));
        if self.is_any_slot
            && let Some(Ok(replies)) = &replies
            && replies.are_mostly_elsewhere()
        {
            // The server may no longer permit keys of several slots. The next batch probes again.
            session.set_any_slot(None);
        }
        for (at, call) in std::mem::take(&mut self.calls).into_iter().enumerate() {
            let decided = match &mut replies {
                // The small script cannot decide. The caller sends the request itself, and `decide` decides about it.
                None if *reply == Value::Nil => {
                    self.client.note_undecided(&call.request);
                    continue;
                }
                None => single::decision(reply, self.mode, &call.request),
                Some(Ok(replies)) => match replies.next(at, &call.request) {
                    Some(decided) => decided,
                    // The caller sends the request itself, with a declared key, so that the server can redirect the request.
                    None => continue,
                },
                Some(Err(invalid)) => Err(*invalid),
            };
            call.reply(decided.map_err(|invalid| self.client.invalid(invalid)));
        }
    }

    pub(super) fn fail(mut self, error: &Error) {
        for call in std::mem::take(&mut self.calls) {
            call.reply(Err(error.clone()));
        }
    }

    /// Tells each caller to send its request itself, because the server has rejected the script call. So each caller receives
    /// the error of its own request, or reaches the server that decides now.
    ///
    /// The script has written nothing, with one exception: a list of another program looks like a sliding log until the script
    /// writes to the list. The requests in front of it are then already charged, so they count twice. This is accepted, because
    /// otherwise one such list would fail all calls of its batch.
    pub(super) fn send_one_by_one(mut self) {
        self.calls.clear();
    }
}

impl Drop for Group {
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
