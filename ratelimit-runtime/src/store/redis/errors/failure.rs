//! Tells an outage, which passes, from a configuration that somebody has to mend.

use crate::error::{Error, ErrorKind};
use crate::store::redis::connect::endpoint::Address;
use crate::store::redis::errors::text::{Said, lost};
use redis::{ErrorKind as RedisKind, RedisError, ServerErrorKind};

/// The codes of errors that pass by themselves.
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

pub(crate) fn explain(address: &Address, error: &RedisError) -> Error {
    let (kind, before, what) = classify(error);
    address.error(kind, before, what)
}

fn classify(error: &RedisError) -> (ErrorKind, &'static str, String) {
    if error.is_timeout() {
        return (ErrorKind::Timeout, "no answer in time from", lost(error));
    }
    match error.kind() {
        RedisKind::Io | RedisKind::ClusterConnectionNotFound => {
            return (ErrorKind::Unavailable, "lost the connection to", lost(error));
        }
        RedisKind::Parse => {
            let what = "it does not answer as Redis or Valkey does";
            return (ErrorKind::Configuration, "cannot understand", what.to_owned());
        }
        _ => {}
    }
    let said = Said::of(error);
    match said.code() {
        code if code == Some("WRONGPASS") || error.kind() == RedisKind::AuthenticationFailed => {
            (ErrorKind::Configuration, "not let in by", WRONG_PASSWORD.to_owned())
        }
        Some("NOPERM") => (ErrorKind::Configuration, "not permitted by", said.to_string()),
        // Since 7.0.12 a server answers with the latter to a request with more than ten arguments.
        code if code == Some("NOAUTH") || is_unauthenticated(error) => {
            (ErrorKind::Configuration, "not let in by", NO_PASSWORD.to_owned())
        }
        Some(code) if PASSING.contains(&code) => {
            (ErrorKind::Unavailable, "cannot decide now at", said.to_string())
        }
        _ => (ErrorKind::Configuration, "refused by", said.to_string()),
    }
}

const WRONG_PASSWORD: &str = "the user or the password is wrong, or it wants none";
const NO_PASSWORD: &str =
    "it wants a password, and the URL has none (NOAUTH); without a user write `:password@`";

fn is_unauthenticated(error: &RedisError) -> bool {
    const SAID: [&str; 2] = ["unauthenticated multibulk length", "unauthenticated bulk length"];
    error.detail().is_some_and(|detail| SAID.iter().any(|said| detail.contains(said)))
}

/// Whether a server has executed nothing, since another one decides, or soon will.
pub(crate) fn is_elsewhere(error: &RedisError) -> bool {
    let try_again = RedisKind::Server(ServerErrorKind::TryAgain);
    error.redirect_node().is_some() || error.kind() == try_again || is_read_only(error)
}

/// Whether a server has said that it is a replica. Then nothing was written.
pub(crate) fn is_read_only(error: &RedisError) -> bool {
    error.kind() == RedisKind::Server(ServerErrorKind::ReadOnly) || mentions(error, "READONLY")
}

fn mentions(error: &RedisError, code: &str) -> bool {
    error.code() == Some(code) || error.detail().is_some_and(|detail| detail.contains(&format!("-{code} ")))
}
