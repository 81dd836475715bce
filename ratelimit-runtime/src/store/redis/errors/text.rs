//! What a server's error says, cut down to words of this library.
//!
//! Servers and proxies quote arguments in their errors, and arguments are keys and passwords. Therefore no text of a server is
//! passed on. Its code, its phrases and the command that it names are looked up in tables, and the rest is left out.

use crate::store::redis::errors::known::{
    A_COMMAND, ADVICE, CODES, COMMANDS, OF_COMMANDS, PHRASES, Phrase, UNKNOWN,
};
use crate::store::redis::script::scripts::{ADJUST, DECIDE};
use redis::{ErrorKind as RedisKind, RedisError};
use std::error::Error as _;
use std::fmt;
use std::io;
use std::sync::Arc;

/// An error of a server, in words of this library.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    code: Option<&'static str>,
    what: &'static str,
    /// The command that `what` is about.
    command: Option<&'static str>,
}

impl Said {
    pub(crate) fn of(error: &RedisError) -> Self {
        // The client library puts what it attempted in front of what the server said.
        let text = error.to_string();
        let lower = text.to_ascii_lowercase();
        let code = code(error);
        if let Some((after, (_, what, instead))) = find(&OF_COMMANDS, &lower) {
            return Self { code: instead.or(code), what, command: command(after) };
        }
        if let Some((_, (_, what, instead))) = find(&PHRASES, &lower) {
            return Self { code: instead.or(code), what, command: None };
        }
        let meaning = CODES.into_iter().find(|(known, _)| Some(*known) == code).map(|(_, meaning)| meaning);
        let what = own(&text).or(meaning).unwrap_or_else(|| of_client(error.kind()));
        Self { code, what, command: None }
    }

    pub(crate) const fn code(&self) -> Option<&'static str> {
        self.code
    }
}

impl fmt::Display for Said {
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

/// The server's code, if it is known. Before version 7, the text of a script's error hides the code of the command's error.
fn code(error: &RedisError) -> Option<&'static str> {
    let hidden = |code: &&str| error.detail().is_some_and(|detail| detail.contains(&format!("-{code} ")));
    let codes = || CODES.into_iter().map(|(code, _)| code);
    codes().find(hidden).or_else(|| codes().find(|code| error.code() == Some(code)))
}

/// The first phrase that a text has, and what follows it.
fn find<'t>(phrases: &[Phrase], text: &'t str) -> Option<(&'t str, Phrase)> {
    phrases.iter().find_map(|phrase| Some((text.split_once(phrase.0)?.1, *phrase)))
}

/// The known command that follows a phrase, as in ` the 'get' command`.
fn command(after: &str) -> Option<&'static str> {
    let mut words = after.split([' ', ',', '\'', '`', '"']).filter(|word| !word.is_empty());
    let named = words.find(|word| *word != "the")?;
    COMMANDS.into_iter().find(|command| *command == named)
}

/// What a script of this library has said: its texts are known.
fn own(text: &str) -> Option<&'static str> {
    let (_, said) = text.split_once("ratelimit: ")?;
    let texts =
        |script: &'static str| script.split("wrong(\"").skip(1).filter_map(|rest| rest.split('"').next());
    [DECIDE, ADJUST].into_iter().flat_map(texts).find(|known| said.starts_with(known))
}

/// What an error means that the client library has made itself.
const fn of_client(kind: RedisKind) -> &'static str {
    match kind {
        RedisKind::Client | RedisKind::InvalidClientConfig => "the client library cannot send the call",
        RedisKind::UnexpectedReturnType => "its reply has an unexpected type",
        RedisKind::RESP3NotSupported => "it does not speak RESP3; leave out `protocol` in the URL",
        RedisKind::MasterNameNotFoundBySentinel
        | RedisKind::NoValidReplicasFoundBySentinel
        | RedisKind::EmptySentinelList => "the sentinels know no such primary",
        _ => UNKNOWN,
    }
}

/// Why a connection was lost, in words of the system.
pub(crate) fn lost(error: &RedisError) -> String {
    let inner =
        error.source().and_then(|inner| inner.downcast_ref::<Arc<dyn std::error::Error + Send + Sync>>());
    match inner.and_then(|inner| inner.downcast_ref()) {
        Some(error) => of_system(error),
        None => "it was closed".to_owned(),
    }
}

/// What the system says of an error. An error that a library has made may quote what it has read: then only its kind is said.
pub(crate) fn of_system(error: &io::Error) -> String {
    const LOOKUP: &str = "failed to lookup address information";
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code).to_string(),
        None if error.to_string().starts_with(LOOKUP) => LOOKUP.to_owned(),
        None => error.kind().to_string(),
    }
}

#[cfg(test)]
mod tests;
