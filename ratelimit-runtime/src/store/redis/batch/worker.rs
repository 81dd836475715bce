//! The worker: a task that takes waiting calls from a queue and sends them in batches.

use super::group::{Group, split};
use crate::clock::LateLooks;
use crate::store::redis::client::{Client, read_probe};
use crate::store::redis::connect::UNRESPONSIVE_AFTER;
use crate::store::redis::errors::is_unknown_script;
use crate::store::redis::server::{SendError, Session, missing_reply};
use crate::store::redis::topology::key_slot;
use crate::store::redis::waiting::Worker;
use redis::{Cmd, Pipeline, RedisResult, Value};
use std::collections::HashSet;
use std::pin::pin;
use std::sync::Arc;
use tokio::time::Instant;

/// The replies to the script calls of all groups.
type Replies = Result<Vec<RedisResult<Value>>, SendError>;

/// Sends batches until no call waits.
pub(super) async fn run(client: Arc<Client>, session: Arc<Session>, mut worker: Worker) {
    let is_cluster = client.topology.is_cluster();
    loop {
        // First lets other tasks run that are ready. The calls that they enter become part of the batch.
        tokio::task::yield_now().await;
        let (calls, look) = worker.take(Instant::now());
        if calls.is_empty() {
            return;
        }
        let any_slot = if is_cluster { session.any_slot() } else { None };
        let groups = split(&client, calls, any_slot == Some(true));
        let probe = if is_cluster && any_slot.is_none() { probe(&client, &groups) } else { None };
        match send_watched(&session, &groups, probe, &mut worker, look).await {
            None => {}
            Some(Ok(replies)) => {
                for (group, reply) in groups.into_iter().zip(replies) {
                    group.finish(&session, reply);
                }
            }
            // Nothing was sent. Each caller sends its request itself, because another node may have taken over the
            // slots.
            Some(Err(SendError::NotConnected(_))) if is_cluster => {
                groups.into_iter().for_each(Group::send_one_by_one);
            }
            Some(Err(failed)) => {
                client.topology.note_failure();
                let error = failed.explain();
                for group in groups {
                    group.fail(&error);
                }
            }
        }
    }
}

/// Creates a command that finds out whether the server permits keys of several slots. Returns `None` if all groups have the
/// same slot.
fn probe(client: &Client, groups: &[Group]) -> Option<Cmd> {
    let mut keys = groups.iter().map(|group| group.calls[0].request.key());
    let first = keys.next()?;
    let second = keys.find(|key| key_slot(key.as_bytes()) != key_slot(first.as_bytes()))?;
    Some(client.any_slot_probe([first, second]))
}

/// Sends the groups of a batch, and watches the deadlines of their calls until the replies arrive. `look` is the time of the
/// first look at the deadlines. Returns `None` if all callers have given up.
async fn send_watched(
    session: &Arc<Session>,
    groups: &[Group],
    probe: Option<Cmd>,
    worker: &mut Worker,
    mut look: Option<Instant>,
) -> Option<Replies> {
    let (mut sending, mut late) = (pin!(send(session, groups, probe)), LateLooks::default());
    let mut unresponsive = Instant::now() + UNRESPONSIVE_AFTER;
    loop {
        let until = look.map_or(unresponsive, |look| unresponsive.min(look));
        if let Ok(replies) = tokio::time::timeout_at(until, sending.as_mut()).await {
            return Some(replies);
        }
        let now = Instant::now();
        if let Some(again) = late.postpone(until, now) {
            worker.postpone(again);
            look = Some(again);
            continue;
        }
        if now >= unresponsive {
            if !groups.iter().any(Group::is_wanted) {
                return None;
            }
            unresponsive = now + UNRESPONSIVE_AFTER;
        }
        look = worker.look(groups.iter().flat_map(|group| &group.calls), now);
    }
}

/// Sends all groups to the server, after a probe if there is one.
async fn send(session: &Arc<Session>, groups: &[Group], probe: Option<Cmd>) -> Replies {
    match groups {
        [group] => send_one(session, group).await.map(|reply| vec![reply]),
        _ => send_many(session, groups, probe).await,
    }
}

async fn send_one(session: &Arc<Session>, group: &Group) -> Result<RedisResult<Value>, SendError> {
    let reply = match session.send(group.script_call.by_digest()).await {
        Err(failed) if failed.is_unknown_script() => session.send(&group.script_call.by_text()).await,
        reply => reply,
    };
    match reply {
        Ok(value) => Ok(Ok(value)),
        Err(SendError::Failed(_, error)) => Ok(Err(error)),
        Err(failed) => Err(failed),
    }
}

async fn send_many(session: &Arc<Session>, groups: &[Group], probe: Option<Cmd>) -> Replies {
    let mut commands = Pipeline::with_capacity(groups.len() + 1);
    let is_probed = probe.is_some();
    if let Some(probe) = probe {
        commands.add_command(probe);
    }
    for group in groups {
        commands.add_command(group.script_call.by_digest().clone());
    }
    let mut replies = session.send_all(&commands).await?;
    if is_probed
        && !replies.is_empty()
        && let Some(permitted) = read_probe(&replies.remove(0))
    {
        session.set_any_slot(Some(permitted));
    }
    let is_unknown = |reply: &RedisResult<Value>| reply.as_ref().is_err_and(is_unknown_script);
    let unknown: Vec<usize> =
        (0..groups.len()).filter(|at| replies.get(*at).is_some_and(is_unknown)).collect();
    if !unknown.is_empty() {
        // For each script, the first call is sent by text, and the further calls by digest.
        let mut by_text = HashSet::new();
        let mut commands = Pipeline::with_capacity(unknown.len());
        for at in &unknown {
            let call = &groups[*at].script_call;
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
