//! The shown text of an error, made of words of this library.
//!
//! Servers and proxies quote arguments in their errors, and arguments contain keys and passwords. No text of a server is
//! shown. Its error code, its phrases and the command that it names are looked up in tables. The rest is left out.

use super::known::{
    A_COMMAND, ADVICE, CODES, COMMAND_PHRASES, COMMANDS, ERR, NO_CODE, PHRASES, Phrase, UNKNOWN_CODE,
    UNKNOWN_TEXT,
};
use crate::error::ErrorKind;
use ratelimit_lua::{ADJUST, DECIDE};
use redis::{ErrorKind as RedisKind, RedisError};
use std::error::Error as _;
use std::fmt;
use std::io;
use std::sync::Arc;

/// An error of a server or of the client library, in words of this library.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ErrorText {
    code: Option<&'static str>,
    what: &'static str,
    /// The command that `what` concerns.
    command: Option<&'static str>,
    /// `None` if the error is not in the tables.
    kind: Option<ErrorKind>,
}

impl ErrorText {
    pub(super) fn of(error: &RedisError) -> Self {
        // redis-rs splits the server's line into code and detail, and puts its own description in front of some errors.
        let line = [error.code(), error.detail()].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let text = format!("{line} {error}");
        let lower = text.to_ascii_lowercase();
        let code = code(error);
        if let Some((after, (_, what, kind, replacement))) = find(&COMMAND_PHRASES, &lower) {
            return Self { code: replacement.or(code), what, command: command(after), kind: Some(kind) };
        }
        if let Some((_, (_, what, kind, replacement))) = find(&PHRASES, &lower) {
            return Self { code: replacement.or(code), what, command: None, kind: Some(kind) };
        }
        let of_script = || Some((script_text(&text)?, ErrorKind::Configuration));
        let of_code =
            || CODES.into_iter().find(|known| Some(known.0) == code).map(|known| (known.1, known.2));
        match of_script().or_else(of_code).or_else(|| client_text(error.kind())) {
            Some((what, kind)) => Self { code, what, command: None, kind: Some(kind) },
            None => Self { code, what: unknown(error.code()), command: None, kind: None },
        }
    }

    pub(super) const fn code(&self) -> Option<&'static str> {
        self.code
    }

    /// The kind of the error, if its meaning is known.
    pub(super) const fn kind(&self) -> Option<ErrorKind> {
        self.kind
    }
}

impl fmt::Display for ErrorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(code) = self.code {
            write!(f, "{code}: ")?;
        }
        match self.command {
            Some(command) => f.write_str(&self.what.replace(A_COMMAND, &format!("`{command}`")))?,
            None => f.write_str(self.what)?,
        }
        match ADVICE.iter().find(|(code, _)| Some(*code) == self.code) {
            Some((_, advice)) => write!(f, "; {advice}"),
            None => Ok(()),
        }
    }
}

/// Returns the server's error code if it is known. Before version 7, the code of a command that failed in a script is within
/// the text of the script's error.
fn code(error: &RedisError) -> Option<&'static str> {
    let is_nested = |code: &&str| error.detail().is_some_and(|detail| detail.contains(&format!("-{code} ")));
    let codes = || CODES.into_iter().map(|known| known.0).chain([ERR]);
    codes().find(is_nested).or_else(|| codes().find(|code| error.code() == Some(code)))
}

/// Finds the first phrase that a text contains. Returns the rest of the text and the phrase.
fn find<'t>(phrases: &[Phrase], text: &'t str) -> Option<(&'t str, Phrase)> {
    phrases.iter().find_map(|phrase| Some((text.split_once(phrase.0)?.1, *phrase)))
}

/// Returns the known command that follows a phrase, as in ` the 'get' command`.
fn command(after: &str) -> Option<&'static str> {
    let mut words = after.split([' ', ',', '\'', '`', '"']).filter(|word| !word.is_empty());
    let named = words.find(|word| *word != "the")?;
    COMMANDS.into_iter().find(|command| *command == named)
}

/// Returns the error text of a script of this library. These texts contain no arguments.
fn script_text(text: &str) -> Option<&'static str> {
    let (_, rest) = text.split_once("ratelimit: ")?;
    let texts =
        |script: &'static str| script.split("wrong(\"").skip(1).filter_map(|rest| rest.split('"').next());
    [DECIDE, ADJUST].into_iter().flat_map(texts).find(|known| rest.starts_with(known))
}

/// Returns the meaning of an error that redis-rs has created.
const fn client_text(kind: RedisKind) -> Option<(&'static str, ErrorKind)> {
    let (what, kind) = match kind {
        RedisKind::Client | RedisKind::InvalidClientConfig => {
            ("redis-rs cannot send the call", ErrorKind::Configuration)
        }
        RedisKind::UnexpectedReturnType => ("the reply has an unexpected type", ErrorKind::Unavailable),
        RedisKind::RESP3NotSupported => {
            ("the server does not support RESP3; remove `protocol` from the URL", ErrorKind::Configuration)
        }
        RedisKind::MasterNameNotFoundBySentinel | RedisKind::EmptySentinelList => {
            ("the sentinels do not know the primary", ErrorKind::Configuration)
        }
        _ => return None,
    };
    Some((what, kind))
}

/// Returns the text that is shown for an error that is not in the tables: it says which part of the error is unknown.
fn unknown(code: Option<&str>) -> &'static str {
    let is_code = |word: &str| word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    match code {
        Some(ERR) => UNKNOWN_TEXT,
        Some(word) if is_code(word) => UNKNOWN_CODE,
        _ => NO_CODE,
    }
}

/// Returns why a connection was lost, in the operating system's words.
pub(crate) fn lost_text(error: &RedisError) -> String {
    let inner =
        error.source().and_then(|inner| inner.downcast_ref::<Arc<dyn std::error::Error + Send + Sync>>());
    match inner.and_then(|inner| inner.downcast_ref()) {
        Some(error) => io_text(error),
        None => "the connection was closed".to_owned(),
    }
}

/// Returns the operating system's text for an I/O error. An error that a library has created may quote data. So only the kind
/// of such an error is returned.
pub(crate) fn io_text(error: &io::Error) -> String {
    const LOOKUP: &str = "failed to lookup address information";
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code).to_string(),
        None if error.to_string().starts_with(LOOKUP) => LOOKUP.to_owned(),
        None => error.kind().to_string(),
    }
}

#[cfg(test)]
mod tests;
