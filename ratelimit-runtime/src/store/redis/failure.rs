//! Tells an outage, which passes, from a configuration that somebody has to mend.

use super::address::Address;
use crate::error::{Error, ErrorKind};
use redis::{ErrorKind as RedisKind, RedisError, ServerErrorKind};

/// Codes that mean: not now. Before version 7 a server hides them inside the text of a script error.
const PASSING: [&str; 11] = [
    "LOADING",
    "BUSY",
    "MASTERDOWN",
    "READONLY",
    "CLUSTERDOWN",
    "TRYAGAIN",
    "MOVED",
    "ASK",
    "OOM",
    "NOREPLICAS",
    "MISCONF",
];

pub(super) fn explain(address: &Address, error: &RedisError) -> Error {
    let (kind, before) = classify(error);
    address.error(kind, before, describe(error))
}

fn classify(error: &RedisError) -> (ErrorKind, &'static str) {
    if error.is_timeout() {
        return (ErrorKind::Timeout, "no answer in time from");
    }
    match error.kind() {
        RedisKind::Io | RedisKind::ClusterConnectionNotFound => {
            (ErrorKind::Unavailable, "lost the connection to")
        }
        RedisKind::AuthenticationFailed => (ErrorKind::Configuration, "not let in by"),
        RedisKind::Server(ServerErrorKind::NoPerm) => (ErrorKind::Configuration, "not permitted by"),
        RedisKind::Server(
            ServerErrorKind::BusyLoading
            | ServerErrorKind::MasterDown
            | ServerErrorKind::ReadOnly
            | ServerErrorKind::ClusterDown
            | ServerErrorKind::TryAgain
            | ServerErrorKind::Moved
            | ServerErrorKind::Ask,
        ) => (ErrorKind::Unavailable, "cannot decide now at"),
        _ if code(error).is_some_and(|code| matches!(code, "NOAUTH" | "WRONGPASS")) => {
            (ErrorKind::Configuration, "not let in by")
        }
        _ if PASSING.iter().any(|passing| mentions(error, passing)) => {
            (ErrorKind::Unavailable, "cannot decide now at")
        }
        _ => (ErrorKind::Configuration, "refused by"),
    }
}

fn code(error: &RedisError) -> Option<&str> {
    error.code()
}

fn mentions(error: &RedisError, code: &str) -> bool {
    error.code() == Some(code)
        || error
            .detail()
            .is_some_and(|detail| detail.contains(&format!("-{code} ")))
}

/// The server's words. They name commands and codes; our own arguments are not among them.
fn describe(error: &RedisError) -> String {
    match (error.code(), error.detail()) {
        (Some(code), Some(detail)) if !detail.starts_with(code) => format!("{code} {detail}"),
        (_, Some(detail)) => detail.to_owned(),
        (Some(code), None) => code.to_owned(),
        (None, None) => error.to_string(),
    }
}
