//! The text that is shown for an error, in words of this library.
//!
//! Servers and proxies quote arguments in their errors, and arguments contain keys and passwords. So no text of a server is
//! shown. The server's error code, its phrases and the command that it names are looked up in tables. The rest is left out.

use super::known::{A_COMMAND, ADVICE, CODES, COMMANDS, ERR, PHRASES};
use crate::error::ErrorKind;
use ratelimit_lua::{ADJUST, DECIDE};
use redis::{ErrorKind as RedisKind, RedisError};
use std::error::Error as _;
use std::io;
use std::sync::Arc;

/// An error of a server or of the client library, in words of this library.
pub(super) struct ErrorText {
    pub(super) code: Option<&'static str>,
    /// `None` if the error is not in the tables.
    pub(super) kind: Option<ErrorKind>,
    pub(super) text: String,
}

impl ErrorText {
    pub(super) fn of(error: &RedisError) -> Self {
        // redis-rs splits the server's line into code and detail, so this joins both again. In front of some errors, redis-rs
        // puts its own description.
        let line = [error.code(), error.detail()].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let text = format!("{line} {error}");
        let lower = text.to_ascii_lowercase();
        let code = code(error);
        for (phrase, what, kind, replacement) in PHRASES {
            let Some((_, after)) = lower.split_once(phrase) else { continue };
            let what = match command(after) {
                Some(command) => what.replace(A_COMMAND, &format!("`{command}`")),
                None => what.to_owned(),
            };
            return Self::new(replacement.or(code), Some(kind), &what);
        }
        let of_script = || Some((script_text(&text)?, ErrorKind::Configuration));
        let of_code =
            || CODES.into_iter().find(|known| Some(known.0) == code).map(|known| (known.1, known.2));
        match of_script().or_else(of_code).or_else(|| client_text(error.kind())) {
            Some((what, kind)) => Self::new(code, Some(kind), what),
            None => Self::new(code, None, &unknown(error.code())),
        }
    }

    /// The text of a code that a script has replied.
    pub(super) fn of_code(code: &'static str) -> Self {
        let what = CODES.into_iter().find(|known| known.0 == code).map_or("", |known| known.1);
        Self::new(Some(code), Some(ErrorKind::Unavailable), what)
    }

    fn new(code: Option<&'static str>, kind: Option<ErrorKind>, what: &str) -> Self {
        let prefix = code.map(|code| format!("{code}: ")).unwrap_or_default();
        let advice = ADVICE.iter().find(|(of, _)| Some(*of) == code);
        let advice = advice.map(|(_, advice)| format!("; {advice}")).unwrap_or_default();
        Self { code, kind, text: format!("{prefix}{what}{advice}") }
    }
}

/// The server's error code if it is known. If a command has failed in a script, servers before Redis 7 write the command's code
/// into the text of the script's error.
pub(super) fn code(error: &RedisError) -> Option<&'static str> {
    let is_nested = |code: &&str| error.detail().is_some_and(|detail| detail.contains(&format!("-{code} ")));
    let codes = || CODES.into_iter().map(|known| known.0).chain([ERR]);
    codes().find(is_nested).or_else(|| codes().find(|code| error.code() == Some(code)))
}

/// Finds the known command that follows a phrase, as in ` the 'get' command`.
fn command(after: &str) -> Option<&'static str> {
    let mut words = after.split([' ', ',', '\'', '`', '"']).filter(|word| !word.is_empty());
    let named = words.find(|word| *word != "the")?;
    COMMANDS.into_iter().find(|command| *command == named)
}

/// The texts of this library's scripts contain no arguments.
fn script_text(text: &str) -> Option<&'static str> {
    let (_, rest) = text.split_once("ratelimit: ")?;
    let texts =
        |script: &'static str| script.split("wrong(\"").skip(1).filter_map(|rest| rest.split('"').next());
    [DECIDE, ADJUST].into_iter().flat_map(texts).find(|known| rest.starts_with(known))
}

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

/// Says which part of an error is not in the tables.
fn unknown(code: Option<&str>) -> String {
    let is_code = |word: &str| word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let which = match code {
        Some(ERR) => "its text is not known, and",
        Some(word) if is_code(word) => "its code is not known, and",
        _ => "its text has no code, as that of a proxy, and is",
    };
    format!("{which} not shown because it may contain a key or a password")
}

/// The reason why a connection was lost, in the operating system's words.
pub(crate) fn lost_text(error: &RedisError) -> String {
    let inner =
        error.source().and_then(|inner| inner.downcast_ref::<Arc<dyn std::error::Error + Send + Sync>>());
    match inner.and_then(|inner| inner.downcast_ref()) {
        Some(error) => io_text(error),
        None => "the connection was closed".to_owned(),
    }
}

/// The operating system's text for an I/O error. If a library has created the error, only the kind of the error, because the
/// library's text may quote data.
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
