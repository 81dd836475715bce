//! Groups: requests of many callers on their way to one server, in one script call for each mode. In a cluster whose servers do
//! not permit keys of several slots in one call, there is one call for each slot.

use super::merge::Merged;
use crate::error::Error;
use crate::observe::batch_sent;
use crate::store::redis::client::across_slots::is_one_slot;
use crate::store::redis::client::{Client, read_probe};
use crate::store::redis::connect::AnySlot;
use crate::store::redis::errors::{is_not_executed_here, is_unknown_script};
use crate::store::redis::script::ScriptCall;
use crate::store::redis::script::single;
use crate::store::redis::server::{SendError, Session, missing_reply};
use crate::store::redis::waiting::{CallItem, CallSender};
use crate::store::{Mode, Request};
use redis::{Cmd, Pipeline, RedisResult, Value};
use std::collections::HashSet;
use std::sync::Arc;

/// One script call for requests in order of arrival. The server accepts all their keys in one call.
pub(super) struct Group {
    mode: Mode,
    call: ScriptCall,
    form: Form,
    /// Set if the keys are on several slots of the node.
    any_slot: Option<Arc<AnySlot>>,
}

/// Which script the call runs.
enum Form {
    Single,
    Decide(Merged),
}

/// A command that finds out whether a server permits keys of several slots.
pub(super) struct Probe {
    pub(super) command: Cmd,
    pub(super) any_slot: Arc<AnySlot>,
}

/// The outcome of a group.
pub(super) enum GroupOutcome {
    /// The script's reply.
    Replied(Value),
    /// The error of all requests.
    Failed(Error),
    /// The server has rejected the script call. Each caller sends its request itself, and receives the error that concerns
    /// it, or reaches the server that decides now.
    SendOneByOne,
}

impl Group {
    /// Creates the script call. `any_slot` is set if the server permits keys of several slots.
    pub(super) fn new(
        client: &Client,
        mode: Mode,
        requests: &[&Request],
        any_slot: Option<&Arc<AnySlot>>,
    ) -> Self {
        batch_sent(requests.len());
        if let [request] = requests
            && let Some(call) = client.single_call(mode, request)
        {
            return Self { mode, call, form: Form::Single, any_slot: None };
        }
        let merged = Merged::new(mode, requests);
        let any_slot = any_slot.filter(|_| !is_one_slot(requests.iter().map(|request| request.key())));
        let call = match any_slot {
            Some(_) => ScriptCall::new(client.any_slot_script(), requests.len(), |command| {
                // The number of declared keys.
                command.arg(0);
                merged.encode(requests, true, command);
            }),
            None => ScriptCall::new(client.decide_script(), requests.len(), |command| {
                merged.encode(requests, false, command);
            }),
        };
        Self { mode, call, form: Form::Decide(merged), any_slot: any_slot.cloned() }
    }

    fn outcome(client: &Client, session: &Arc<Session>, reply: RedisResult<Value>) -> GroupOutcome {
        match reply {
            Ok(reply) => GroupOutcome::Replied(reply),
            Err(error) => {
                let not_executed = is_not_executed_here(&error);
                match client.explain(SendError::Failed(Arc::clone(session), error)) {
                    error if error.is_transient() && !not_executed => {
                        client.topology().note_failure();
                        GroupOutcome::Failed(error)
                    }
                    _ => GroupOutcome::SendOneByOne,
                }
            }
        }
    }

    /// Gives each caller its decision. `calls` have the requests of this group.
    pub(super) fn deliver(&self, client: &Client, reply: &Value, calls: Vec<CallSender>) {
        let mut replies = match &self.form {
            Form::Single => None,
            Form::Decide(merged) => Some(merged.replies(reply, self.any_slot.is_some())),
        };
        if let (Some(any_slot), Some(Ok(replies))) = (&self.any_slot, &replies)
            && replies.are_mostly_elsewhere()
        {
            // The server may no longer permit keys of several slots.
            *any_slot.lock() = None; // the next batch probes again
        }
        for (at, call) in calls.into_iter().enumerate() {
            let Some(request) = call.item().map(CallItem::request) else { continue };
            let decided = match &mut replies {
                // The caller sends the request itself, and `decide` decides.
                None if *reply == Value::Nil => continue,
                None => {
                    single::decision(reply, self.mode, request).map_err(|invalid| client.invalid(&invalid))
                }
                Some(Ok(replies)) => match replies.next(at, request) {
                    Some(decided) => decided.map_err(|invalid| client.invalid(&invalid)),
                    // The caller sends the request itself, with a declared key, and the server redirects it.
                    None => continue,
                },
                Some(Err(invalid)) => Err(client.invalid(invalid)),
            };
            call.reply(decided);
        }
    }
}

/// Sends all groups to a server, behind a probe if there is one. Returns the outcome of each.
pub(super) async fn send(
    client: &Client,
    session: &Arc<Session>,
    groups: &[Group],
    probe: Option<Probe>,
) -> Vec<GroupOutcome> {
    let replies = match groups {
        [group] => send_one(session, group).await.map(|reply| vec![reply]),
        _ => send_many(session, groups, probe).await,
    };
    match replies {
        Ok(replies) => replies.into_iter().map(|reply| Group::outcome(client, session, reply)).collect(),
        // Nothing was sent. Each caller sends its request itself, because another node may have taken over the
        // slots.
        Err(SendError::NotConnected(_)) if client.topology().is_cluster() => {
            groups.iter().map(|_| GroupOutcome::SendOneByOne).collect()
        }
        Err(failed) => {
            client.topology().note_failure();
            let error = failed.explain();
            groups.iter().map(|_| GroupOutcome::Failed(error.clone())).collect()
        }
    }
}

async fn send_one(session: &Arc<Session>, group: &Group) -> Result<RedisResult<Value>, SendError> {
    let reply = match session.send(group.call.by_digest()).await {
        Err(failed) if failed.is_unknown_script() => session.send(&group.call.by_text()).await,
        reply => reply,
    };
    match reply {
        Ok(value) => Ok(Ok(value)),
        Err(SendError::Failed(_, error)) => Ok(Err(error)),
        Err(failed) => Err(failed),
    }
}

async fn send_many(
    session: &Arc<Session>,
    groups: &[Group],
    probe: Option<Probe>,
) -> Result<Vec<RedisResult<Value>>, SendError> {
    let mut commands = Pipeline::with_capacity(groups.len() + 1);
    if let Some(probe) = &probe {
        commands.add_command(probe.command.clone());
    }
    for group in groups {
        commands.add_command(group.call.by_digest().clone());
    }
    let mut replies = session.send_all(&commands).await?;
    if let Some(probe) = &probe
        && !replies.is_empty()
        && let Some(permitted) = read_probe(&replies.remove(0))
    {
        *probe.any_slot.lock() = Some(permitted);
    }
    let is_unknown = |reply: &RedisResult<Value>| reply.as_ref().is_err_and(is_unknown_script);
    let unknown: Vec<usize> =
        (0..groups.len()).filter(|at| replies.get(*at).is_some_and(is_unknown)).collect();
    if !unknown.is_empty() {
        // The first call of each script is sent by text, the others by digest.
        let mut by_text = HashSet::new();
        let mut commands = Pipeline::with_capacity(unknown.len());
        for at in &unknown {
            let call = &groups[*at].call;
            let is_first = by_text.insert(call.digest());
            commands.add_command(if is_first { call.by_text() } else { call.by_digest().clone() });
        }
        for (at, reply) in unknown.into_iter().zip(session.send_all(&commands).await?) {
            replies[at] = reply;
        }
    }
    replies.resize_with(groups.len(), || Err(missing_reply()));
    Ok(replies)
}
