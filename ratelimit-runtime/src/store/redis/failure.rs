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
    let (kind, before, what) = classify(error);
    address.error(kind, before, what)
}

fn classify(error: &RedisError) -> (ErrorKind, &'static str, String) {
    if error.is_timeout() {
        return (ErrorKind::Timeout, "no answer in time from", describe(error));
    }
    match error.kind() {
        RedisKind::Io | RedisKind::ClusterConnectionNotFound => {
            (ErrorKind::Unavailable, "lost the connection to", describe(error))
        }
        RedisKind::AuthenticationFailed => (
            ErrorKind::Configuration,
            "not let in by",
            "the user or the password is wrong, or it wants none".to_owned(),
        ),
        RedisKind::Parse => (
            ErrorKind::Configuration,
            "cannot understand",
            "what answers there is no Redis or Valkey server".to_owned(),
        ),
        RedisKind::Server(ServerErrorKind::NoPerm) => {
            (ErrorKind::Configuration, "not permitted by", describe(error))
        }
        RedisKind::Server(
            ServerErrorKind::BusyLoading
            | ServerErrorKind::MasterDown
            | ServerErrorKind::ReadOnly
            | ServerErrorKind::ClusterDown
            | ServerErrorKind::TryAgain
            | ServerErrorKind::Moved
            | ServerErrorKind::Ask,
        ) => (ErrorKind::Unavailable, "cannot decide now at", describe(error)),
        // Since 7.0.12 a server says the latter to a request with more than ten arguments.
        _ if error.code() == Some("NOAUTH") || error.to_string().contains("unauthenticated") => (
            ErrorKind::Configuration,
            "not let in by",
            "it wants a password, and the URL has none (NOAUTH); without a user write `:password@`"
                .to_owned(),
        ),
        _ if PASSING.iter().any(|passing| mentions(error, passing)) => {
            (ErrorKind::Unavailable, "cannot decide now at", describe(error))
        }
        _ => (ErrorKind::Configuration, "refused by", describe(error)),
    }
}

/// Whether a server has executed nothing, since another one decides, or soon will.
pub(super) fn is_elsewhere(error: &RedisError) -> bool {
    let try_again = RedisKind::Server(ServerErrorKind::TryAgain);
    error.redirect_node().is_some() || error.kind() == try_again || is_read_only(error)
}

/// Whether a server has said that it is a replica. Then nothing was written.
pub(super) fn is_read_only(error: &RedisError) -> bool {
    error.kind() == RedisKind::Server(ServerErrorKind::ReadOnly) || mentions(error, "READONLY")
}

fn mentions(error: &RedisError, code: &str) -> bool {
    error.code() == Some(code) || error.detail().is_some_and(|detail| detail.contains(&format!("-{code} ")))
}

/// What an administrator can do about it.
const ADVICE: [(&str, &str); 4] = [
    ("OOM ", "give it more memory, or let it forget keys that have a TTL (`maxmemory-policy volatile-ttl`)"),
    ("NOPERM", "`lua/README.md` lists what its user has to be permitted"),
    ("DB index is out of range", "the URL asks for a database that is not there"),
    ("LOADING", "it will be ready when it has read its data"),
];

/// The server's words, in one line, and advice. They name commands and codes; our own arguments are not among them.
fn describe(error: &RedisError) -> String {
    let words = words(error);
    match ADVICE.iter().find(|(said, _)| words.contains(said)) {
        Some((_, advice)) => format!("{words}; {advice}"),
        None => words,
    }
}

fn words(error: &RedisError) -> String {
    let words = match (error.code(), error.detail()) {
        (Some(code), Some(detail)) if !detail.starts_with(code) => format!("{code} {detail}"),
        (_, Some(detail)) => detail.to_owned(),
        (Some(code), None) => code.to_owned(),
        (None, None) => error.to_string(),
    };
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
