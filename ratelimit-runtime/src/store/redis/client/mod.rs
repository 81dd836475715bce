//! The client of a store: runs scripts and commands on the servers.

pub(crate) mod across_slots;
mod stack_by_slot;
mod taken;

use super::connect::Endpoint;
use super::errors::{Problem, is_cross_slot, is_not_executed, passes_by_itself};
use super::script::single::{self, SingleScripts};
use super::script::{
    InvalidReply, OUT_OF_RANGE, Script, ScriptCall, adjusted, decisions, encode_adjust, encode_decide,
};
use super::server::SendError;
use super::topology::{Topology, key_slot};
use crate::error::{Error, ErrorKind, FOREIGN_VALUE};
use crate::key::StoreKey;
use crate::store::{Adjusted, Adjustment, Awaited, Decisions, Mode, Request};
use ratelimit_lua::{ANY_SLOT, ANY_SLOT_PROBE, RESET};
use redis::{Cmd, RedisResult, Value};
use std::sync::atomic::{AtomicBool, Ordering};

/// The servers of a store, and the scripts that they run. All clones of a store share one client.
pub(crate) struct Client {
    pub(crate) topology: Topology,
    /// The script for any number of requests.
    pub(crate) decide: Script,
    adjust: Script,
    reset: Script,
    single: Option<SingleScripts>,
    /// The script `decide` for keys of several slots on one node, and the script that finds out whether the server permits
    /// this.
    pub(crate) any_slot_decide: Script,
    any_slot_probe: Script,
    requires_one_slot: AtomicBool,
}

impl Client {
    /// Creates a client with these scripts: `decide` and `adjust`, and the scripts of single requests. The text of each script
    /// begins with `prelude`.
    pub(crate) fn new(
        topology: Topology,
        prelude: &str,
        [decide, adjust]: [&str; 2],
        single: Option<single::Texts<'_>>,
    ) -> Self {
        Self {
            requires_one_slot: AtomicBool::new(topology.is_cluster()),
            topology,
            decide: Script::new(prelude, decide),
            adjust: Script::new(prelude, adjust),
            reset: Script::new(prelude, RESET),
            single: single.map(|texts| SingleScripts::new(prelude, texts)),
            any_slot_decide: Script::new(prelude, &[ANY_SLOT, decide].concat()),
            any_slot_probe: Script::new(prelude, ANY_SLOT_PROBE),
        }
    }

    /// The endpoint in messages about the whole store.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        self.topology.endpoint()
    }

    /// Whether all keys of a call must be on one slot. A connection that the application has opened may lead to a cluster. The
    /// client learns this from the first error about slots.
    pub(crate) fn requires_one_slot(&self) -> bool {
        self.requires_one_slot.load(Ordering::Relaxed)
    }

    /// Runs a script: by digest, and by text if the server does not know the digest.
    async fn run(&self, call: &ScriptCall, awaited: &Awaited) -> Result<Value, Error> {
        let slot = || key_slot(call.first_key());
        match self.topology.send(slot, call.by_digest(), awaited).await {
            Err(failed) if failed.is_unknown_script() => {
                self.topology.send(slot, &call.by_text(), awaited).await
            }
            reply => reply,
        }
        .map_err(|failed| self.explain(failed))
    }

    /// Decides about requests by the script `decide`.
    pub(crate) async fn decide(
        &self,
        mode: Mode,
        requests: &[&Request],
        awaited: &Awaited,
    ) -> Result<Decisions, Error> {
        let call = ScriptCall::new(&self.decide, requests.len(), |command| {
            encode_decide(command, mode, requests);
        });
        let reply = self.run(&call, awaited).await?;
        let limits = requests.iter().map(|request| request.limit());
        decisions(&reply, mode, limits).map_err(|invalid| self.invalid(invalid))
    }

    /// Creates the call of the small script for a plain request. Returns `None` if no small script can decide about the
    /// request.
    pub(crate) fn single_call(&self, mode: Mode, request: &Request) -> Option<ScriptCall> {
        let script = self.single.as_ref()?.script(mode, request)?;
        Some(ScriptCall::new(script, 1, |command| single::encode(command, request)))
    }

    /// Notes that the small script of a request could not decide.
    pub(crate) fn note_undecided(&self, request: &Request) {
        self.single.iter().for_each(|single| single.note_undecided(request));
    }

    /// Decides about one request: by its small script if there is one, else by `decide`. If the small script replies nil or
    /// ends with a configuration error, it has written nothing. In these cases, `decide` decides about the request, or
    /// returns a more exact error.
    pub(crate) async fn decide_one(
        &self,
        mode: Mode,
        request: &Request,
        awaited: &Awaited,
    ) -> Result<Decisions, Error> {
        if let Some(call) = self.single_call(mode, request) {
            match self.run(&call, awaited).await {
                Ok(Value::Nil) => self.note_undecided(request),
                Ok(reply) => {
                    let decision = single::decision(&reply, mode, request);
                    return decision.map(Decisions::one).map_err(|invalid| self.invalid(invalid));
                }
                Err(error) if error.is_transient() => return Err(error),
                Err(_) => {}
            }
        }
        self.decide(mode, &[request], awaited).await
    }

    /// Makes adjustments by the script `adjust`.
    ///
    /// Until the server has executed the script once, the call is sent by text. An unknown digest would cost a second round
    /// trip, and the caller's next request could reach the server before the units are given back.
    async fn adjust(&self, adjustments: &[Adjustment], awaited: &Awaited) -> Result<Adjusted, Error> {
        // If there is no key, there is no server to ask.
        if adjustments.is_empty() {
            return Ok(Adjusted::new());
        }
        let call = ScriptCall::new(&self.adjust, adjustments.len(), |command| {
            encode_adjust(command, adjustments);
        });
        let slot = || key_slot(call.first_key());
        let node = self.topology.node(slot, awaited).await.map_err(|error| error.with_not_executed(true))?;
        let reply = if node.knows_adjust.load(Ordering::Relaxed) {
            self.run(&call, awaited).await?
        } else {
            let sent = self.topology.send(slot, &call.by_text(), awaited).await;
            let reply = sent.map_err(|failed| self.explain(failed))?;
            node.knows_adjust.store(true, Ordering::Relaxed);
            reply
        };
        adjusted(&reply, adjustments).map_err(|invalid| self.invalid(invalid))
    }

    /// Sends a plain command on a key.
    pub(crate) async fn command(
        &self,
        key: &StoreKey,
        command: &Cmd,
        awaited: &Awaited,
    ) -> Result<Value, Error> {
        let sent = self.topology.send(|| key_slot(key.as_bytes()), command, awaited).await;
        sent.map_err(|failed| self.explain(failed))
    }

    /// Forgets the state of a key. Returns 1 if there was one, otherwise 0.
    pub(crate) async fn reset(&self, key: &StoreKey, awaited: &Awaited) -> Result<u64, Error> {
        let call = ScriptCall::new(&self.reset, 1, |command| {
            command.arg(1).arg(key.as_bytes());
        });
        match self.run(&call, awaited).await? {
            Value::Int(existed @ 0..=1) => Ok(existed.unsigned_abs()),
            _ => Err(self.invalid(OUT_OF_RANGE)),
        }
    }

    /// Creates the error of a failed command.
    pub(crate) fn explain(&self, failed: SendError) -> Error {
        let not_executed = match &failed {
            SendError::NotConnected(_) | SendError::RuntimeGone(_) => true,
            SendError::Failed(_, error) => {
                if is_cross_slot(error) {
                    self.requires_one_slot.store(true, Ordering::Relaxed);
                }
                is_not_executed(error)
            }
        };
        failed.explain().with_not_executed(not_executed)
    }

    /// Creates the error of a reply that cannot be used. The server may have charged the call although the reply is malformed.
    /// So a malformed reply counts as an outage, and the failure policy applies.
    pub(crate) fn invalid(&self, invalid: InvalidReply) -> Error {
        match invalid {
            InvalidReply::Malformed(why) => {
                let why = format!("{why}; the call may be charged; `ratelimit doctor` checks the server");
                self.endpoint().error(ErrorKind::Unavailable, "invalid reply from", why)
            }
            InvalidReply::ForeignKey => {
                self.endpoint().error(ErrorKind::Configuration, "cannot use a key in", FOREIGN_VALUE)
            }
            InvalidReply::NotWritten(code) => {
                self.endpoint().problem(&Problem::not_written(code)).with_not_executed(true)
            }
        }
    }

    /// Creates the probe that finds out whether the server permits scripts to touch keys of several slots. The keys have
    /// different slots.
    ///
    /// A node accepts only declared keys of one slot. But Redis and Valkey permit a script without a shebang to touch
    /// undeclared keys of all slots that the node serves. The first batch with keys of two slots on a connection sends two of
    /// its keys in a probe. If a key has moved to another node, its request has no reply, and the caller sends this request
    /// again, alone and with the key declared.
    pub(crate) fn any_slot_probe(&self, keys: [&StoreKey; 2]) -> Cmd {
        let arguments = |command: &mut Cmd| {
            command.arg(0).arg(keys[0].as_bytes()).arg(keys[1].as_bytes());
        };
        ScriptCall::new(&self.any_slot_probe, keys.len(), arguments).by_text()
    }
}

/// Reads the reply to the probe: whether the server permits keys of several slots. Returns `None` if the reply does not tell.
pub(crate) fn read_probe(reply: &RedisResult<Value>) -> Option<bool> {
    match reply {
        Ok(Value::Int(1)) => Some(true),
        Ok(Value::Int(-1)) => None,
        Ok(_) => Some(false),
        // A transient error does not tell what the server permits. After any other error, the server is known to reject scripts
        // without declared keys.
        Err(error) => (!passes_by_itself(error)).then_some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_finds_out_one_of_three_things() {
        use redis::{ErrorKind as RedisKind, RedisError, ServerErrorKind};
        let server_error = |kind| Err(RedisError::from((RedisKind::Server(kind), "error")));
        for (reply, expected) in [
            (Ok(Value::Int(1)), Some(true)),
            (Ok(Value::Int(0)), Some(false)),
            (Ok(Value::Int(-1)), None),
            (Ok(Value::Nil), Some(false)),
            (server_error(ServerErrorKind::CrossSlot), Some(false)),
            (server_error(ServerErrorKind::NoPerm), Some(false)),
            (server_error(ServerErrorKind::BusyLoading), None),
            (Err(std::io::Error::from(std::io::ErrorKind::BrokenPipe).into()), None),
        ] {
            assert_eq!(read_probe(&reply), expected, "{reply:?}");
        }
    }
}
