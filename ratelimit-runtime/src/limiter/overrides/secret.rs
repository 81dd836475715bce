//! The fingerprint of the hash secret. It is published with the limits, so that a process with another secret is noticed: it
//! would write and read keys that no other process uses.

use super::published::{PACE, age, now};
use crate::error::{Error, ErrorKind};
use crate::key::{self, AsKey, KeySettings};
use crate::limiter::RateLimiter;

/// The beginning of the field of a fingerprint, among the published limits. No attribute has a name with a control character.
const FIELD: &str = "secret\u{1}";
/// What follows the time in the text of a fingerprint. It is not the text of a limit.
pub(super) const TEXT: &str = "secret";

/// Returns the field of a fingerprint.
pub(super) fn field(fingerprint: u32) -> String {
    format!("{FIELD}{fingerprint:08x}")
}

/// Returns the fingerprints of running processes that differ from the fingerprint of these settings.
pub(super) fn others<'s>(
    stored: &'s [(Vec<u8>, String)],
    settings: &KeySettings,
    now: u64,
) -> impl Iterator<Item = u32> + 's {
    let own = settings.fingerprint;
    running(stored, now).filter(move |other| *other != own)
}

/// Returns the fingerprints of running processes.
fn running(stored: &[(Vec<u8>, String)], now: u64) -> impl Iterator<Item = u32> + '_ {
    let is_running = move |text: &str| age(text, now).is_some_and(|age| age < 2 * PACE);
    stored.iter().filter(move |(_, text)| is_running(text)).filter_map(|(name, _)| {
        let digits = str::from_utf8(name).ok()?.strip_prefix(FIELD)?;
        u32::from_str_radix(digits, 16).ok()
    })
}

impl RateLimiter {
    /// Checks that this limiter and the running processes write the same key for these values. The key contains a hash if a
    /// value comes from a header, is longer than 64 bytes, or was written by
    /// [`KeyWriter::secret`](crate::identity::KeyWriter::secret). With another
    /// [hash secret](crate::RateLimiterBuilder::hash_secret), it is another key, so a block or a change would have no effect.
    /// It is for tools; [`block`](Self::block), [`unblock`](Self::unblock) and the methods of [`overrides`](Self::overrides)
    /// check their keys themselves.
    ///
    /// Each process that has hashed a value publishes a fingerprint of its secret: 32 bits of a keyed hash, which reveal no more
    /// about the secret than each hash in a key. A process counts as running for 20 minutes after it last published the
    /// fingerprint, which it does every ten minutes.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::Error> {
    /// use ratelimit::{Key, RateLimiter};
    ///
    /// let limiter = RateLimiter::in_memory();
    /// limiter.check_hash_secret(Key::new("search").by("x".repeat(65))).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Configuration`] if the key contains a hash, and all running processes that publish a fingerprint have
    /// another secret. It is not an error if the fingerprints cannot be read.
    pub async fn check_hash_secret(&self, key: impl AsKey) -> Result<(), Error> {
        if self.hashes(&key) { self.ensure_shared_secret().await } else { Ok(()) }
    }

    /// Returns an error if all running processes that publish a fingerprint have another secret.
    pub(super) async fn ensure_shared_secret(&self) -> Result<(), Error> {
        let (stored, now) = (self.load_published().await.unwrap_or_default(), now());
        let own = self.keys().fingerprint;
        if running(&stored, now).any(|running| running == own) {
            return Ok(());
        }
        let prefix = self.keys().prefix();
        let without_secret = KeySettings::new(prefix, None, self.keys().ipv6_prefix).fingerprint;
        let what_to_do = match running(&stored, now).next() {
            None => return Ok(()),
            Some(fingerprint) if fingerprint == without_secret => {
                "they have no secret, so unset RATELIMIT_HASH_SECRET, and remove `hash_secret(..)`"
            }
            Some(_) => "set RATELIMIT_HASH_SECRET, or `hash_secret(..)`, to their secret",
        };
        Err(Error::new(
            ErrorKind::Configuration,
            format!(
                "the running processes with the prefix `{prefix}` hash this identity with another secret, so its key here is not its key there; {what_to_do}"
            ),
        ))
    }

    /// Whether the key of these values contains a hash.
    pub(super) fn hashes(&self, key: &impl AsKey) -> bool {
        let settings = self.keys().separate();
        // An error of the key is reported when the key is used.
        let _ = key::render(key, &settings);
        settings.has_hashed()
    }
}

#[cfg(test)]
mod tests;
