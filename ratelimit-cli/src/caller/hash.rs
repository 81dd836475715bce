//! Reads `--for '#0123abcd'`, and finds the identity with this hash.

use super::{Caller, Word};
use crate::exit::Failure;
use crate::scan::search;
use crate::session::Session;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The length of a whole hash, and the minimum length of a shortened hash, both with the `#`.
const WHOLE: usize = 33;
const LEAST: usize = 9;

/// Reads the hash of an identity, or its beginning, in the form that outputs show. `None` if the text is not such a hash.
pub(super) fn read(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(['…', '.']);
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let digits = text.strip_prefix('#')?;
    ((LEAST..=WHOLE).contains(&text.len()) && digits.bytes().all(is_digit)).then_some(text)
}

impl Caller {
    /// Searches the keys of the server for the identity whose hash `--for` names. A key contains only the hash of a long or
    /// secret value. So if `or_as_written` is true and the search does not find a whole hash, the hash itself is used as the
    /// value in the key.
    ///
    /// # Errors
    ///
    /// If no identity, or more than one, has a hash that begins with the given digits. Also if the key contains a hash, and the
    /// running services hash with another secret.
    pub(crate) async fn found(mut self, or_as_written: bool, session: &Session) -> Result<Self, Failure> {
        let has_same_secret =
            async |key| session.limiter.check_hash_secret(key).await.map_err(Failure::usage);
        let [Word::Hash(hash)] = &self.identities[..] else {
            has_same_secret(&self.key()).await?;
            return Ok(self);
        };
        let is_whole = hash.len() == WHOLE;
        let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
        let searched = search(session, |key| {
            let known = session.limiter.identity_hash(key).ok().flatten();
            if known.is_some_and(|known| known.to_string().starts_with(hash)) {
                found.insert(key.identities().map(str::to_owned).collect());
            }
            if is_whole && !found.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        searched.await?;
        let mut found = found.into_iter();
        match (found.next(), found.next()) {
            (Some(identities), None) => {
                let found = identities.join(",");
                self.found = (!found.starts_with('#')).then_some(found);
                self.identities = identities.into_iter().map(Word::Written).collect();
                Ok(self)
            }
            (Some(_), Some(_)) => {
                Err(Failure::usage(format!("the hashes of several identities begin with `{hash}`")))
            }
            (None, _) if session.interrupt.is_set() => Err(Failure::interrupted()),
            (None, _) if is_whole && or_as_written => Ok(self),
            (None, _) => Err(Failure::found(format!(
                "no key has an identity with the hash `{hash}`; keys expire, and if the services set a hash secret, this command needs the same RATELIMIT_HASH_SECRET"
            ))),
        }
    }
}
