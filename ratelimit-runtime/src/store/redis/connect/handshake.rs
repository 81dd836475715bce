//! What a server says of itself when it is met: whether it is the one that the URL means.

use crate::error::{Error, ErrorKind};
use crate::store::redis::connect::connection::Connection;
use crate::store::redis::connect::endpoint::Address;
use crate::store::redis::errors::failure;
use redis::{ErrorKind as RedisKind, ServerErrorKind, Value};
use std::collections::HashMap;

/// What a server has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Primary,
    Node,
    Sentinel,
}

/// Asks a server what it is. `HELLO` needs no permission; one that does not know it is taken as it is.
pub(crate) async fn greet(
    connection: &mut Connection,
    address: &Address,
    expected: Expected,
) -> Result<(), Error> {
    let said = match connection.send(&redis::cmd("HELLO")).await {
        Ok(said) => said,
        Err(error)
            if error.code() == Some("NOAUTH")
                || matches!(
                    error.kind(),
                    RedisKind::Io
                        | RedisKind::Server(ServerErrorKind::NoPerm)
                        | RedisKind::AuthenticationFailed
                ) =>
        {
            return Err(failure::explain(address, &error));
        }
        Err(_) => return Ok(()),
    };
    let said: HashMap<String, Value> = redis::from_redis_value(said).unwrap_or_default();
    let word = |name| match said.get(name) {
        Some(Value::BulkString(word)) => std::str::from_utf8(word).unwrap_or_default(),
        Some(Value::SimpleString(word)) => word,
        _ => "",
    };
    match objection(expected, word("mode"), word("role"), address) {
        None => Ok(()),
        Some((kind, what)) => Err(address.error(kind, "cannot use", what)),
    }
}

/// What is wrong with a server that says this of itself.
fn objection(expected: Expected, mode: &str, role: &str, at: &Address) -> Option<(ErrorKind, String)> {
    let configuration = |what| Some((ErrorKind::Configuration, what));
    match (expected, mode, role) {
        (Expected::Sentinel, "standalone" | "cluster", _) => {
            configuration(format!("it is no sentinel; write `redis://{at}` or `redis+cluster://{at}`"))
        }
        (Expected::Primary | Expected::Node, "sentinel", _) => configuration(format!(
            "it is a sentinel; write `redis+sentinel://{at}/` and the name of the primary"
        )),
        (Expected::Primary, "cluster", _) => {
            configuration(format!("it is a node of a cluster; write `redis+cluster://{at}`"))
        }
        (Expected::Node, "standalone", _) => {
            configuration(format!("it is no node of a cluster; write `redis://{at}`"))
        }
        // It may be about to become one, or just have been one.
        (Expected::Primary, _, "replica" | "slave") => Some((
            ErrorKind::Unavailable,
            "it is a replica, which cannot count; give the primary's address, or let sentinels find it \
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
    fn each_server_is_told_how_it_is_written() {
        let at = Address::handed().at("a", 7000);
        for (expected, mode, role, told) in [
            (Expected::Primary, "standalone", "master", None),
            (Expected::Primary, "", "", None),
            (Expected::Primary, "cluster", "master", Some("write `redis+cluster://a:7000`")),
            (Expected::Primary, "sentinel", "", Some("write `redis+sentinel://a:7000/`")),
            (Expected::Primary, "standalone", "replica", Some("it is a replica")),
            (Expected::Node, "cluster", "replica", None),
            (Expected::Node, "standalone", "master", Some("write `redis://a:7000`")),
            (Expected::Node, "sentinel", "", Some("it is a sentinel")),
            (Expected::Sentinel, "sentinel", "", None),
            (Expected::Sentinel, "standalone", "master", Some("it is no sentinel")),
        ] {
            let objection = objection(expected, mode, role, &at);
            match (objection, told) {
                (None, None) => {}
                (Some((_, what)), Some(told)) if what.contains(told) => {}
                (objection, _) => panic!("{expected:?} {mode} {role}: {objection:?}"),
            }
        }
    }
}
