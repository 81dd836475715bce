//! Publishes the limits that this process has used, so that other processes and the command know which names exist. Also
//! publishes the fingerprint of the hash secret ([`secret`](super::secret)).
//!
//! A state in Redis does not name its limit, and a process knows only the limits that its calls have used. So the list may be
//! incomplete: `set` only warns about an unknown name.

use super::entry::changed;
use super::{KnownLimit, secret};
use crate::error::{Error, ErrorKind};
use crate::limit::{Algorithm, LimitChange};
use crate::limiter::RateLimiter;
use crate::observe::registry::changes;
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// The time after which a process publishes its limits again.
pub(super) const PACE: Duration = Duration::from_secs(600);
/// The shortest time between two publications, if calls use new limits or the store is unavailable.
const LEAST: Duration = Duration::from_secs(5);
/// A limit is removed from the store if no process has published it for this time.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);
/// The name of the key of the published limits. This key is in the same slot as the overrides.
const LIMITS: &str = "limits";
/// The most published limits of a prefix, and the longest name in bytes.
const MOST: usize = 1000;
const LONGEST_NAME: usize = 256;

/// Determines when to publish next. It belongs to the task that asks for overrides.
pub(super) struct Publisher {
    /// The value of [`RateLimiter::publishable`] at the last publication.
    published: usize,
    /// The time before which nothing is published.
    next: Instant,
    /// The time at which limits are published again even if nothing is new.
    repeat: Instant,
    has_warned: bool,
    has_warned_of_secret: bool,
    has_warned_of_exposed: bool,
}

impl Publisher {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self {
            published: 0,
            next: now,
            repeat: now,
            has_warned: false,
            has_warned_of_secret: false,
            has_warned_of_exposed: false,
        }
    }

    /// Whether there is something to publish now.
    pub(super) fn is_due(&self, limiter: &RateLimiter) -> bool {
        let (changes, now) = (limiter.publishable(), Instant::now());
        changes > 0 && now >= self.next && (changes != self.published || now >= self.repeat)
    }

    /// Publishes the limits. A failure does not affect calls, and the limits are published again later.
    pub(super) async fn publish(&mut self, limiter: &RateLimiter) {
        let (changes, now) = (limiter.publishable(), Instant::now());
        self.next = now + LEAST;
        if limiter.keys().has_exposed() && !std::mem::replace(&mut self.has_warned_of_exposed, true) {
            tracing::warn!(
                prefix = limiter.keys().prefix(),
                "secret values such as headers are hashed without a secret, so anybody who can read the store can test guesses of them: give all processes the same RATELIMIT_HASH_SECRET or `hash_secret(..)`"
            );
        }
        match limiter.publish().await {
            Ok(shares_secret) => {
                (self.published, self.repeat) = (changes, now + PACE);
                if !shares_secret && !std::mem::replace(&mut self.has_warned_of_secret, true) {
                    tracing::warn!(
                        prefix = limiter.keys().prefix(),
                        "other processes with this prefix hash identities with another secret, so these identities have a separate limit in each group of processes: give all processes the same RATELIMIT_HASH_SECRET or `hash_secret`"
                    );
                }
            }
            Err(error) if error.is_transient() => {}
            Err(error) => {
                self.next = now + PACE;
                if !std::mem::replace(&mut self.has_warned, true) {
                    tracing::warn!(%error, "cannot publish the names of the limits, so `ratelimit` does not know them");
                }
            }
        }
    }
}

impl RateLimiter {
    /// Returns the limits that all processes with the same store and prefix have used, in the order of their names, with the
    /// overrides that this limiter knows.
    ///
    /// A process publishes what [`limits`](Self::limits) returns: within about five seconds after the first call of a limit, and
    /// then every ten minutes. A limit stays in the list for seven days after it was last published. The list has at most 1000
    /// limits, and names of at most 256 bytes. If processes have different limits under one name, the list has the limit that was
    /// published last. If the store is in memory, the list contains only the limits of this process.
    ///
    /// # Errors
    ///
    /// The store does not reply, whatever the failure policy is.
    pub async fn published_limits(&self) -> Result<Vec<KnownLimit>, Error> {
        let mut all = self.load_limits().await?;
        all.extend(self.limits().into_iter().map(|met| (met.name.to_string(), met)));
        Ok(all.into_values().collect())
    }

    /// Compares an override with the published limits. If no process has published the limit, only logs a warning, because the
    /// limit may exist nevertheless.
    ///
    /// # Errors
    ///
    /// If the override does not fit the limit that running processes have.
    pub(super) async fn check_override(&self, name: &str, change: &LimitChange) -> Result<(), Error> {
        // The published limits only help to find mistakes. If they cannot be loaded, the override is set anyway.
        let Ok(published) = self.load_limits().await else { return Ok(()) };
        if let Some(met) = published.get(name) {
            let is_running = !met.varies && met.age < 2 * PACE;
            return match changed(change, &met.in_code).err().filter(|_| is_running) {
                Some(reason) => Err(misfit(reason)),
                None => Ok(()),
            };
        }
        let own = self.limits();
        let is_known = published.is_empty() && own.is_empty() || own.iter().any(|met| met.name == name);
        if !is_known {
            tracing::warn!(
                limit = name,
                "set an override for a name that no process has published: unless calls of methods have this name, it has no effect"
            );
        }
        Ok(())
    }

    /// Returns a number that grows when there is something new to publish. Zero if there is nothing to publish.
    fn publishable(&self) -> usize {
        changes() + usize::from(self.keys().has_hashed()) + usize::from(self.keys().has_exposed())
    }

    /// Publishes the limits, and the fingerprint of the hash secret if it matters for any key. Returns `false` if it matters,
    /// and running processes use another secret.
    async fn publish(&self) -> Result<bool, Error> {
        let (stored, now) = (self.load_published().await?, now());
        let secret = self.keys().has_hashed().then_some(self.keys().fingerprint);
        let shares_secret = secret.is_none() || secret::others(&stored, self.keys(), now).next().is_none();
        let changed = news(&stored, &self.limits(), secret, now);
        if !changed.is_empty() {
            let saving = self.shared.store.bare().save_limits(&self.own_key(LIMITS), &changed, KEPT);
            self.shared.store.within_deadline(saving).await?;
        }
        Ok(shares_secret)
    }

    pub(super) async fn load_published(&self) -> Result<Vec<(Vec<u8>, String)>, Error> {
        let loading = self.shared.store.bare().load_limits(&self.own_key(LIMITS));
        self.shared.store.within_deadline(loading).await
    }

    async fn load_limits(&self) -> Result<BTreeMap<String, KnownLimit>, Error> {
        let (stored, now) = (self.load_published().await?, now());
        let read = |(name, text): (Vec<u8>, String)| {
            let name = String::from_utf8(name).ok()?;
            let mut met = KnownLimit::read(&name, &text, now).filter(|met| met.age < KEPT)?;
            met.overridden = self.shared.overrides.of_name(&name, &met.in_code);
            Some((name, met))
        };
        Ok(stored.into_iter().filter_map(read).collect())
    }
}

/// Returns the error of an override that does not fit its limit.
pub(super) fn misfit(reason: &str) -> Error {
    Error::new(ErrorKind::Limit, format!("the override does not fit its limit: {reason}"))
}

impl KnownLimit {
    /// Reads a text such as `seen=1795347401 version=1.4.2 varies counter count=5 time=1m`. Only `seen=` and the limit are
    /// required. Unknown words before the limit are ignored, because they may come from a later version of the library.
    fn read(name: &str, text: &str, now: u64) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_algorithm = |word: &&str| Algorithm::ALL.iter().any(|algorithm| algorithm.as_str() == *word);
        let (about, limit) = words.split_at(words.iter().position(is_algorithm)?);
        let value = |name: &str| about.iter().find_map(|word| word.strip_prefix(name));
        Some(Self {
            name: name.to_owned().into(),
            in_code: limit.join(" ").parse().ok()?,
            varies: about.contains(&"varies"),
            overridden: None,
            version: value("version=").map(Into::into),
            age: age(text, now)?,
        })
    }

    /// Returns the published text without the time.
    fn published(&self) -> String {
        let version = self.version.as_ref().map(|version| format!("version={version} ")).unwrap_or_default();
        let varies = if self.varies { "varies " } else { "" };
        format!("{version}{varies}{}", self.in_code)
    }
}

/// Returns the time since a text was published. `None` if the text has no time. If the clock of the publishing process is
/// ahead, the result is zero.
pub(super) fn age(text: &str, now: u64) -> Option<Duration> {
    let seen: u64 = text.strip_prefix("seen=")?.split(' ').next()?.parse().ok()?;
    Some(Duration::from_secs(now.saturating_sub(seen)))
}

/// Chooses the entries to save: the limits of this process that are new or due again, and the removal of limits that no process
/// has published for seven days. A limit that another process has just published is not published again, so a fleet writes about
/// as often as one process. The field of the own secret is published in the same way.
fn news(
    stored: &[(Vec<u8>, String)],
    own: &[KnownLimit],
    fingerprint: Option<u32>,
    now: u64,
) -> Vec<(Vec<u8>, Option<String>)> {
    let is_live = |text: &str| age(text, now).is_some_and(|age| age < KEPT);
    let known: HashMap<&[u8], &str> = stored.iter().map(|(name, text)| (&name[..], &text[..])).collect();
    let mut free = MOST.saturating_sub(known.values().filter(|text| is_live(text)).count());
    let mut changed: BTreeMap<Vec<u8>, Option<String>> = BTreeMap::new();
    changed.extend(stored.iter().filter(|(_, text)| !is_live(text)).map(|(name, _)| (name.clone(), None)));
    let limits = own.iter().map(|met| (met.name.as_bytes(), met.published()));
    let own_secret = fingerprint.map(secret::field);
    let own_secret = own_secret.as_ref().map(|field| (field.as_bytes(), secret::TEXT.to_owned()));
    for (name, text) in own_secret.into_iter().chain(limits).filter(|(name, _)| name.len() <= LONGEST_NAME) {
        match known.get(name).filter(|known| is_live(known)) {
            Some(known) => {
                let is_same = known.split_once(' ').is_some_and(|(_, known)| known == text);
                if is_same && age(known, now).is_some_and(|age| age < PACE / 2) {
                    continue;
                }
            }
            None if free == 0 && text != secret::TEXT => continue,
            None => free = free.saturating_sub(1),
        }
        changed.insert(name.to_vec(), Some(format!("seen={now} {text}")));
    }
    changed.into_iter().collect()
}

/// Returns the seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests;
