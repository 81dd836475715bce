//! Separates outages, which pass by themselves, from a wrong configuration, which somebody has to repair.

use super::text::{ErrorText, code, lost_text};
use crate::error::ErrorKind;
use redis::{ErrorKind as RedisKind, RedisError, ServerErrorKind};
use std::borrow::Cow;

/// An error about a server, without the name of the server.
///
/// The message of the final error is "`what` Redis at `endpoint`: `why`".
pub(crate) struct Problem {
    pub(crate) kind: ErrorKind,
    /// The failed step, such as "cannot connect to".
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

    /// Classifies an error of the server or the connection. Only a known error counts as a wrong configuration. Any other
    /// error, such as the error of a proxy whose server is unavailable, may pass by itself. The server may have executed the
    /// command that failed.
    pub(crate) fn of(error: &RedisError) -> Self {
        if error.is_timeout() {
            return Self::new(ErrorKind::Timeout, "no reply in time from", lost_text(error));
        }
        match error.kind() {
            RedisKind::Io | RedisKind::ClusterConnectionNotFound => {
                return Self::unavailable("lost the connection to", lost_text(error));
            }
            RedisKind::Parse => {
                return Self::unavailable("cannot understand", NOT_REDIS);
            }
            RedisKind::AuthenticationFailed => {
                return Self::configuration(LOG_IN, WRONG_PASSWORD);
            }
            _ => {}
        }
        let ErrorText { code, kind, text } = ErrorText::of(error);
        match (code, kind) {
            (Some("WRONGPASS"), _) => Self::configuration(LOG_IN, WRONG_PASSWORD),
            (Some("NOAUTH"), _) => Self::configuration(LOG_IN, NO_PASSWORD),
            (Some("NOPERM"), _) => Self::configuration("permission denied by", text),
            (_, Some(ErrorKind::Configuration)) => Self::configuration("error from", text),
            (_, Some(_)) => Self::unavailable(TEMPORARY, text),
            (_, None) => Self::unavailable("unknown error from", text),
        }
    }

    /// Whether the server does not accept the user or the password.
    pub(crate) fn is_login(&self) -> bool {
        self.what == LOG_IN
    }

    /// Describes that a server refuses to write, with the error of this code.
    pub(crate) fn not_written(code: &'static str) -> Self {
        Self::unavailable(TEMPORARY, ErrorText::of_code(code).text)
    }

    /// Classifies an error of a new connection. A server that has not replied in the Redis protocol is not a Redis server,
    /// which is a wrong configuration.
    pub(crate) fn of_new_connection(error: &RedisError) -> Self {
        match error.kind() {
            RedisKind::Parse => Self::configuration("cannot understand", NOT_REDIS),
            _ => Self::of(error),
        }
    }
}

const LOG_IN: &str = "cannot log in to";
const TEMPORARY: &str = "temporary error from";
const NOT_REDIS: &str = "the reply is not in the Redis protocol";
const WRONG_PASSWORD: &str = "the user or the password is wrong, or the server has no password";
const NO_PASSWORD: &str =
    "the server requires a password, and the URL has none (NOAUTH); without a user write `:password@`";

/// Whether an error is known to pass by itself, or means that there was no valid reply. Such an error does not tell what the
/// server can do.
pub(crate) fn passes_by_itself(error: &RedisError) -> bool {
    let no_reply =
        matches!(error.kind(), RedisKind::Io | RedisKind::ClusterConnectionNotFound | RedisKind::Parse);
    no_reply || ErrorText::of(error).kind == Some(ErrorKind::Unavailable)
}

/// Whether an error means that the server has executed nothing, because another server decides now or will soon decide.
pub(crate) fn is_not_executed_here(error: &RedisError) -> bool {
    let try_again = RedisKind::Server(ServerErrorKind::TryAgain);
    error.redirect_node().is_some() || error.kind() == try_again || is_read_only(error)
}

/// Whether an error means that the server has executed nothing. A server that refuses to write has executed no part of a script,
/// because it refuses only the first write.
pub(crate) fn is_not_executed(error: &RedisError) -> bool {
    const CODES: [&str; 8] =
        ["OOM", "NOREPLICAS", "MISCONF", "LOADING", "BUSY", "MASTERDOWN", "CLUSTERDOWN", "NOAUTH"];
    is_not_executed_here(error) || code(error).is_some_and(|code| CODES.contains(&code))
}

/// Only a replica refuses to write in this way.
pub(crate) fn is_read_only(error: &RedisError) -> bool {
    code(error) == Some("READONLY")
}

/// The server has then executed nothing.
pub(crate) fn is_unknown_script(error: &RedisError) -> bool {
    error.kind() == RedisKind::Server(ServerErrorKind::NoScript)
}

pub(crate) fn is_cross_slot(error: &RedisError) -> bool {
    error.kind() == RedisKind::Server(ServerErrorKind::CrossSlot)
}
