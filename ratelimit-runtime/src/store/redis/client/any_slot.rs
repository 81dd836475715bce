//! One script call for keys of several slots of one node of a cluster.
//!
//! A node accepts only declared keys of one slot. Redis and Valkey permit a script without a shebang to touch undeclared keys of
//! all slots that the node serves. A probe with two keys of the first batch on a connection finds that out. Keys that are
//! elsewhere by now are returned to their callers, who send their requests by themselves with the key declared.

use super::Client;
use crate::key::StoreKey;
use crate::store::redis::connect::AnySlot;
use crate::store::redis::errors::passes_by_itself;
use crate::store::redis::script::{Script, ScriptCall};
use crate::store::redis::server::Session;
use redis::{Cmd, RedisResult, Value};
use std::sync::Arc;

impl Client {
    /// Returns what is known about the server of a session. `None` outside of a cluster, or without a connection.
    pub(crate) fn any_slot(&self, session: &Session) -> Option<Arc<AnySlot>> {
        if self.topology.is_cluster() { session.connection.any_slot() } else { None }
    }

    /// Returns the script for any number of requests with keys of several slots of one node.
    pub(crate) const fn any_slot_script(&self) -> &Script {
        &self.any_slot_decide
    }

    /// Creates the probe with keys of different slots.
    pub(crate) fn any_slot_probe(&self, keys: [&StoreKey; 2]) -> Cmd {
        let arguments = |command: &mut Cmd| {
            command.arg(0).arg(keys[0].as_bytes()).arg(keys[1].as_bytes());
        };
        ScriptCall::new(&self.any_slot_probe, keys.len(), arguments).by_text()
    }
}

/// Reads the reply of the probe. Returns `None` if it has found out nothing.
pub(crate) fn read_probe(reply: &RedisResult<Value>) -> Option<bool> {
    match reply {
        Ok(Value::Int(1)) => Some(true),
        Ok(Value::Int(-1)) => None,
        Ok(_) => Some(false),
        // A temporary error says nothing. Any other server does not accept a script without declared keys.
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
