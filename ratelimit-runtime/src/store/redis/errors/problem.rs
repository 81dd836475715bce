//! Separates outages, which pass by themselves, from a wrong configuration, which somebody has to repair.

use super::text::{ErrorText, lost_text};
use crate::error::ErrorKind;
use redis::{ErrorKind as RedisKind, RedisError, ServerErrorKind};
use std::borrow::Cow;

/// An error about a server, without the name of the server.
///
/// The message of the final error is "`what` Redis at `endpoint`: `why`".
pub(crate) struct Problem {
    pub(crate) kind: ErrorKind,
    /// Such as "cannot connect to".
    pub(crate) what: &'static str,
    pub(crate) why: Cow<'static, str>,
}

impl Problem {
    pub(crate) fn new(kind: ErrorKind, what: &'static str, why: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, what, why: why.into() }
    }

    pub(crate) fn unavailable(what: &'static str, why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Unavailable, what, why)
    }

    pub(crate) fn configuration(what: &'static str, why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Configuration, what, why)
    }

    /// Classifies an error of the server or the connection.
    pub(crate) fn of(error: &RedisError) -> Self {
        if error.is_timeout() {
            return Self::new(ErrorKind::Timeout, "no reply in time from", lost_text(error));
        }
        match error.kind() {
            RedisKind::Io | RedisKind::ClusterConnectionNotFound => {
                return Self::unavailable("lost the connection to", lost_text(error));
            }
            RedisKind::Parse => {
                return Self::configuration("cannot understand", "the reply is not in the Redis protocol");
            }
            _ => {}
        }
        let text = ErrorText::of(error);
        match text.code() {
            code if code == Some("WRONGPASS") || error.kind() == RedisKind::AuthenticationFailed => {
                Self::configuration("cannot log in to", WRONG_PASSWORD)
            }
            Some("NOPERM") => Self::configuration("permission denied by", text.to_string()),
            code if code == Some("NOAUTH") || is_unauthenticated(error) => {
                Self::configuration("cannot log in to", NO_PASSWORD)
            }
            Some(code) if TRANSIENT.contains(&code) => {
                Self::unavailable("temporary error from", text.to_string())
            }
            _ => Self::configuration("error from", text.to_string()),
        }
    }
}

/// The codes of errors that pass by themselves.
const TRANSIENT: [&str; 11] = [
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

const WRONG_PASSWORD: &str = "the user or the password is wrong, or the server has no password";
const NO_PASSWORD: &str =
    "the server requires a password, and the URL has none (NOAUTH); without a user write `:password@`";

/// Returns whether a server has refused a large request of a client that has not logged in. Since version 7.0.12, servers
/// reply so to a request with more than ten arguments.
fn is_unauthenticated(error: &RedisError) -> bool {
    const TEXTS: [&str; 2] = ["unauthenticated multibulk length", "unauthenticated bulk length"];
    error.detail().is_some_and(|detail| TEXTS.iter().any(|text| detail.contains(text)))
}

/// Returns whether a server has executed nothing because another server decides, or will soon.
pub(crate) fn is_not_executed_here(error: &RedisError) -> bool {
    let try_again = RedisKind::Server(ServerErrorKind::TryAgain);
    error.redirect_node().is_some() || error.kind() == try_again || is_read_only(error)
}

/// Returns whether a server has refused to write because it is a replica.
pub(crate) fn is_read_only(error: &RedisError) -> bool {
    error.kind() == RedisKind::Server(ServerErrorKind::ReadOnly) || has_code(error, "READONLY")
}

/// Returns whether a server does not know a script, and so has executed nothing.
pub(crate) fn is_unknown_script(error: &RedisError) -> bool {
    error.kind() == RedisKind::Server(ServerErrorKind::NoScript)
}

/// Returns whether a server has refused a call because its keys are on several slots.
pub(crate) fn is_cross_slot(error: &RedisError) -> bool {
    error.kind() == RedisKind::Server(ServerErrorKind::CrossSlot)
}

fn has_code(error: &RedisError, code: &str) -> bool {
    error.code() == Some(code) || error.detail().is_some_and(|detail| detail.contains(&format!("-{code} ")))
}
