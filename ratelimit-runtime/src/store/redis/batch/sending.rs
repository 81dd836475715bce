//! Sends the script calls of a batch: by digest, and by text if the server does not know the script.

use super::group::{Group, OneOrMore};
use crate::store::redis::client::{Client, read_probe};
use crate::store::redis::errors::is_unknown_script;
use crate::store::redis::script::ScriptCall;
use crate::store::redis::server::{SendError, Session, missing_reply};
use crate::store::redis::topology::key_slot;
use redis::{Cmd, Pipeline, RedisResult, Value};
use smallvec::smallvec;
use std::collections::HashSet;
use std::sync::Arc;

/// The replies to all script calls.
pub(super) type Replies = Result<OneOrMore<RedisResult<Value>>, SendError>;

/// Creates a command that finds out whether the server permits keys of several slots. Returns `None` if all groups have the
/// same slot.
pub(super) fn probe(client: &Client, groups: &[Group]) -> Option<Cmd> {
    let mut keys = groups.iter().map(|group| group.calls[0].request.key());
    let first = keys.next()?;
    let second = keys.find(|key| key_slot(key.as_bytes()) != key_slot(first.as_bytes()))?;
    Some(client.any_slot_probe([first, second]))
}

/// Sends script calls to the server, after a probe if there is one.
pub(super) async fn send(session: Arc<Session>, calls: OneOrMore<ScriptCall>, probe: Option<Cmd>) -> Replies {
    if let [call] = calls.as_slice() {
        let reply = match session.send(call.by_digest()).await {
            Err(failed) if failed.is_unknown_script() => session.send(&call.by_text()).await,
            reply => reply,
        };
        return match reply {
            Err(SendError::Failed(_, error)) => Ok(smallvec![Err(error)]),
            reply => reply.map(|value| smallvec![Ok(value)]),
        };
    }
    let mut commands = Pipeline::with_capacity(calls.len() + 1);
    let is_probed = probe.is_some();
    if let Some(probe) = probe {
        commands.add_command(probe);
    }
    for call in &calls {
        commands.add_command(call.by_digest().clone());
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
        (0..calls.len()).filter(|at| replies.get(*at).is_some_and(is_unknown)).collect();
    if !unknown.is_empty() {
        // For each script, the first call is sent by text, and the further calls by digest.
        let mut by_text = HashSet::new();
        let mut commands = Pipeline::with_capacity(unknown.len());
        for at in &unknown {
            let call = &calls[*at];
            let is_first = by_text.insert(call.digest());
            commands.add_command(if is_first { call.by_text() } else { call.by_digest().clone() });
        }
        for (at, reply) in unknown.into_iter().zip(session.send_all(&commands).await?) {
            replies[at] = reply;
        }
    }
    replies.resize_with(calls.len(), || Err(missing_reply()));
    Ok(replies.into())
}
