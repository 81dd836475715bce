//! One script call: the command by digest, and by text for a server that does not know the script.

use redis::{Arg, Cmd};
use std::sync::Arc;

/// A script, its keys and its arguments.
pub(crate) struct ScriptCall {
    by_digest: Cmd,
    text: Arc<str>,
}

impl ScriptCall {
    /// Creates a call with room for about this many keys. `encode` adds the number of keys, the keys and the arguments.
    pub(crate) fn new(script: &Script, keys: usize, encode: impl FnOnce(&mut Cmd)) -> Self {
        let mut by_digest = Cmd::with_capacity(keys + 16, 48 * keys + 128);
        by_digest.arg("EVALSHA").arg(&script.digest);
        encode(&mut by_digest);
        Self { by_digest, text: Arc::clone(&script.text) }
    }

    pub(crate) fn digest(&self) -> &[u8] {
        match self.by_digest.args_iter().nth(1) {
            Some(Arg::Simple(digest)) => digest,
            _ => &[],
        }
    }

    /// In a cluster, all keys that a call declares are on one slot, so the first key tells the slot of the call.
    pub(crate) fn first_key(&self) -> &[u8] {
        match self.by_digest.args_iter().nth(3) {
            Some(Arg::Simple(key)) => key,
            _ => &[],
        }
    }

    pub(crate) fn by_digest(&self) -> &Cmd {
        &self.by_digest
    }

    /// Creates the command `EVAL`, which also stores the text in the server's script cache.
    pub(crate) fn by_text(&self) -> Cmd {
        let mut by_text = redis::cmd("EVAL");
        by_text.arg(&*self.text);
        for argument in self.by_digest.args_iter().skip(2) {
            if let Arg::Simple(argument) = argument {
                by_text.arg(argument);
            }
        }
        by_text
    }
}

/// The text of a script and its SHA-1 digest, which is computed once.
pub(crate) struct Script {
    text: Arc<str>,
    digest: String,
}

impl Script {
    /// Creates a script that consists of `prelude` and `text`.
    pub(crate) fn new(prelude: &str, text: &str) -> Self {
        let text = [prelude, text].concat();
        let digest = redis::Script::new(&text).get_hash().to_owned();
        Self { text: text.into(), digest }
    }
}
