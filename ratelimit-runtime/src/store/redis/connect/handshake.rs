//! The handshake: asks a new server for its role, and compares the role with the URL.

use super::connection::Connection;
use super::endpoint::Endpoint;
use crate::error::{Error, ErrorKind};
use crate::store::redis::errors::Problem;
use redis::{ErrorKind as RedisKind, ServerErrorKind, Value};
use std::collections::HashMap;

/// The role that a server must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A primary that is not part of a cluster.
    Primary,
    /// A node of a cluster.
    ClusterNode,
    Sentinel,
}

/// Asks a server for its role by `HELLO`, which needs no permission. A server that does not know `HELLO` is accepted.
pub(super) async fn shake_hands(
    connection: &mut Connection,
    endpoint: &Endpoint,
    expected: Role,
) -> Result<(), Error> {
    let reply = match connection.send(&redis::cmd("HELLO")).await {
        Ok(reply) => reply,
        Err(error)
            if error.code() == Some("NOAUTH")
                || matches!(
                    error.kind(),
                    RedisKind::Io
                        | RedisKind::Parse
                        | RedisKind::Server(ServerErrorKind::NoPerm)
                        | RedisKind::AuthenticationFailed
                ) =>
        {
            return Err(endpoint.problem(&Problem::of_new_connection(&error)));
        }
        Err(_) => return Ok(()),
    };
    let fields: HashMap<String, Value> = redis::from_redis_value(reply).unwrap_or_default();
    let field = |name| match fields.get(name) {
        Some(Value::BulkString(text)) => std::str::from_utf8(text).unwrap_or_default(),
        Some(Value::SimpleString(text)) => text,
        _ => "",
    };
    match mismatch(expected, field("mode"), field("role"), endpoint) {
        None => Ok(()),
        Some((kind, why)) => Err(endpoint.error(kind, "cannot use", why)),
    }
}

/// Compares the expected role with `mode` and `role` in the reply. Returns the error, if they differ.
fn mismatch(expected: Role, mode: &str, role: &str, at: &Endpoint) -> Option<(ErrorKind, String)> {
    let configuration = |why| Some((ErrorKind::Configuration, why));
    match (expected, mode, role) {
        (Role::Sentinel, "standalone" | "cluster", _) => configuration(format!(
            "the server is not a sentinel; write `redis://{at}` or `redis+cluster://{at}`"
        )),
        (Role::Primary | Role::ClusterNode, "sentinel", _) => configuration(format!(
            "the server is a sentinel; write `redis+sentinel://{at}/` and the name of the primary"
        )),
        (Role::Primary, "cluster", _) => {
            configuration(format!("the server is a node of a cluster; write `redis+cluster://{at}`"))
        }
        (Role::ClusterNode, "standalone", _) => {
            configuration(format!("the server is not a node of a cluster; write `redis://{at}`"))
        }
        // A failover may be under way, so the error passes by itself.
        (Role::Primary, _, "replica" | "slave") => Some((
            ErrorKind::Unavailable,
            "the server is a replica, which cannot store limits; write the address of the primary, or use sentinels \
             (`redis+sentinel://`)"
                .to_owned(),
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_to_write() {
        let at = Endpoint::given().with_host("a", 7000);
        for (expected, mode, role, why) in [
            (Role::Primary, "standalone", "master", None),
            (Role::Primary, "", "", None),
            (Role::Primary, "cluster", "master", Some("write `redis+cluster://a:7000`")),
            (Role::Primary, "sentinel", "", Some("write `redis+sentinel://a:7000/`")),
            (Role::Primary, "standalone", "replica", Some("the server is a replica")),
            (Role::ClusterNode, "cluster", "replica", None),
            (Role::ClusterNode, "standalone", "master", Some("write `redis://a:7000`")),
            (Role::ClusterNode, "sentinel", "", Some("the server is a sentinel")),
            (Role::Sentinel, "sentinel", "", None),
            (Role::Sentinel, "standalone", "master", Some("the server is not a sentinel")),
        ] {
            match (mismatch(expected, mode, role, &at), why) {
                (None, None) => {}
                (Some((_, shown)), Some(why)) if shown.contains(why) => {}
                (shown, _) => panic!("{expected:?} {mode} {role}: {shown:?}"),
            }
        }
    }
}
