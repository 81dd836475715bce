//! `--for '#0123abcd'`: finds the identity that has a hash.

use super::{Caller, Word};
use crate::exit::Failure;
use crate::interrupt::Interrupt;
use crate::scan::search;
use crate::server::Server;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The length of a hash, and of the shortest beginning of one, with the `#`.
const WHOLE: usize = 33;
const LEAST: usize = 9;

/// The hash of an identity, or its beginning, in the form in which it is shown.
pub(super) fn read(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(['…', '.']);
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let digits = text.strip_prefix('#')?;
    ((LEAST..=WHOLE).contains(&text.len()) && digits.bytes().all(is_digit)).then_some(text)
}

impl Caller {
    /// Finds the identity of which `--for` names the hash among the keys of the server. With `or_as_written`, a whole hash that no
    /// key has is taken as that of a long or secret value, of which the keys have only the hash.
    ///
    /// # Errors
    ///
    /// If no hash begins like this, or that of several identities does.
    pub(crate) async fn found(
        mut self,
        or_as_written: bool,
        server: &Server,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        let [Word::Hash(hash)] = &self.identities[..] else { return Ok(self) };
        let is_whole = hash.len() == WHOLE;
        let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
        let searched = search(server, interrupt, |key| {
            let known = server.limiter.identity_hash(key).ok().flatten();
            if known.is_some_and(|known| known.to_string().starts_with(hash)) {
                found.insert(key.identities().map(str::to_owned).collect());
            }
            if is_whole && !found.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        searched.await?;
        let mut found = found.into_iter();
        match (found.next(), found.next()) {
            (Some(identities), None) => {
                self.identities = identities.into_iter().map(Word::Written).collect();
                Ok(self)
            }
            (Some(_), Some(_)) => {
                Err(Failure::usage(format!("the hashes of several identities begin with `{hash}`")))
            }
            (None, _) if interrupt.is_set() => Err(Failure::interrupted()),
            (None, _) if is_whole && or_as_written => Ok(self),
            (None, _) => Err(Failure::found(format!(
                "no key has an identity with the hash `{hash}`; keys expire, and if the services set a hash secret, this command needs the same RATELIMIT_HASH_SECRET"
            ))),
        }
    }
}
