//! The numbers of limits, as far as they are known. The state in Redis has only the units in use, because the limits are in the
//! code of the services. The numbers come from published limits, from overrides, and from the command line.

use crate::exit::Failure;
use crate::options::GivenLimit;
use crate::session::Session;
use ratelimit::overrides::{KnownLimit, LimitChange, OverrideTarget};
use ratelimit::store::StoredKey;
use ratelimit::{Algorithm, Limit};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// The known numbers of all limits of a prefix.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    given: Vec<GivenLimit>,
    published: BTreeMap<String, KnownLimit>,
    of_names: HashMap<String, LimitChange>,
    of_keys: HashMap<StoredKey, LimitChange>,
}

/// The limit of a key. If its numbers are unknown, a substitute with which the store can still count the units in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    Known(Limit),
    /// The numbers are unknown. With this limit, the store still returns the units in use.
    OnlyUnits(Limit),
    /// The numbers are unknown, and without them the units in use are unknown, too.
    Unknown,
}

impl Numbers {
    pub(crate) const fn known(self) -> Option<Limit> {
        match self {
            Self::Known(limit) => Some(limit),
            Self::OnlyUnits(_) | Self::Unknown => None,
        }
    }
}

impl Limits {
    /// Reads the overrides and the published limits. If their node is missing, the command works without them.
    pub(crate) async fn load(given: &[GivenLimit], session: &Session) -> Result<Self, Failure> {
        let mut limits = Self { given: given.to_vec(), ..Self::default() };
        let overrides = match (session.overrides().await, session.missing_overrides()) {
            (Err(failure), Some(missing)) if failure.is_transient() => {
                session.note_once(format!(
                    "{}; this node has the overrides and the published limits, so only the numbers of `--limit` are known",
                    missing.why
                ));
                return Ok(limits);
            }
            (overrides, _) => overrides?,
        };
        for entry in overrides {
            match entry.target() {
                OverrideTarget::Name(name) => {
                    limits.of_names.insert(name.clone(), *entry.change());
                }
                OverrideTarget::Key(key) => {
                    limits.of_keys.extend(key_of(&session.prefix, key).map(|key| (key, *entry.change())));
                }
                _ => {}
            }
        }
        match session.limiter.published_limits().await {
            Ok(all) => limits.published = all.into_iter().map(|met| (met.name().to_owned(), met)).collect(),
            Err(error) if error.is_transient() => return Err(error.into()),
            // The command also works without the published limits.
            Err(error) => {
                session
                    .note_once(format!("cannot read the limits that the services have published: {error}"));
            }
        }
        Ok(limits)
    }

    /// The limit that the services have published under a name. `None` if they have published no such limit.
    pub(crate) fn published(&self, name: &str) -> Option<&KnownLimit> {
        self.published.get(name)
    }

    /// All names that are published, or have an override.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let published = self.published.keys().chain(self.of_names.keys()).map(String::as_str);
        published.chain(self.of_keys.keys().map(StoredKey::name))
    }

    /// The overrides of single keys that belong to a name.
    pub(crate) fn of_keys(&self, name: &str) -> impl Iterator<Item = (&StoredKey, &LimitChange)> {
        self.of_keys.iter().filter(move |(key, _)| key.name() == name)
    }

    /// The limit of a key with this algorithm.
    pub(crate) fn of(&self, key: &StoredKey, algorithm: Algorithm) -> Numbers {
        self.changed(key.name(), algorithm, self.change(key))
    }

    /// The limit of a name with this algorithm, for all keys without their own override.
    pub(crate) fn of_name(&self, name: &str, algorithm: Algorithm) -> Numbers {
        self.changed(name, algorithm, self.of_names.get(name))
    }

    /// The override of a name. `None` if the name has no override.
    pub(crate) fn change_of_name(&self, name: &str) -> Option<&LimitChange> {
        self.of_names.get(name)
    }

    fn changed(&self, name: &str, algorithm: Algorithm, change: Option<&LimitChange>) -> Numbers {
        let base = self.given(name, algorithm);
        let limit = match (change, base) {
            (Some(change), Some(base)) => change.apply(&base).ok(),
            (Some(change), None) => change.whole().copied(),
            (None, base) => base,
        };
        match limit.filter(|limit| limit.algorithm() == algorithm) {
            Some(limit) => Numbers::Known(limit),
            None => only_units(algorithm).map_or(Numbers::Unknown, Numbers::OnlyUnits),
        }
    }

    /// The override of a key. If the key has none, the override of its name. `None` if the name has no override, either.
    pub(crate) fn change(&self, key: &StoredKey) -> Option<&LimitChange> {
        if !self.of_keys.is_empty()
            && let Some(change) = self.of_keys.get(&key.with_format(NO_FORMAT))
        {
            return Some(change);
        }
        self.of_names.get(key.name())
    }

    fn given(&self, name: &str, algorithm: Algorithm) -> Option<Limit> {
        let fits = |given: &&GivenLimit| given.limit.algorithm() == algorithm;
        let named = self.given.iter().filter(fits).find(|given| given.name.as_deref() == Some(name));
        let any = || self.given.iter().filter(fits).find(|given| given.name.is_none());
        let published = || self.published(name).filter(|met| !met.varies()).map(|met| *met.in_code());
        let published = || published().filter(|limit| limit.algorithm() == algorithm);
        named.map(|given| given.limit).or_else(published).or_else(|| any().map(|given| given.limit))
    }
}

/// The text in the place of the format, for a key without a format.
const NO_FORMAT: &str = "0";

/// Parses the key of an override, which has no format. `None` if the text is not such a key.
pub(crate) fn key_of(prefix: &str, written: &str) -> Option<StoredKey> {
    StoredKey::parse(prefix, format!("{written}:{NO_FORMAT}").as_bytes())
}

/// Whether a change makes each limit refuse every call.
pub(crate) fn refuses_every_call(change: &LimitChange) -> bool {
    match change.whole() {
        Some(limit) => limit.count() == 0 || limit.capacity() == 0,
        None => change.to_string().split(' ').any(|number| number == "count=0"),
    }
}

/// A limit of this algorithm that is large enough for all units in any state. `None` if a state of the algorithm has no meaning
/// without the numbers of its limit.
fn only_units(algorithm: Algorithm) -> Option<Limit> {
    const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);
    let says_units = !algorithm.is_bucket() && algorithm.windows() == 1;
    says_units.then(|| Limit::plain(algorithm, algorithm.most().0, LONGEST).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> StoredKey {
        StoredKey::parse("p", text.as_bytes()).unwrap()
    }

    fn limits(given: &[&str]) -> Limits {
        Limits { given: given.iter().map(|text| text.parse().unwrap()).collect(), ..Limits::default() }
    }

    #[test]
    fn a_limit_of_the_command_line_is_for_a_name_or_for_an_algorithm() {
        let limits = limits(&["a:b=counter count=5 time=1m", "counter count=9 time=1m"]);
        let known = |text: &str| limits.of(&key(text), Algorithm::Counter);
        assert_eq!(known("p:{x}:a:b:c2"), Numbers::Known("counter count=5 time=1m".parse().unwrap()));
        assert_eq!(known("p:{x}:other:c2"), Numbers::Known("counter count=9 time=1m".parse().unwrap()));
        assert_eq!(limits.of(&key("p:{x}:a:tb2"), Algorithm::TokenBucket), Numbers::Unknown);
        assert!(matches!(limits.of(&key("p:{x}:a:sl1"), Algorithm::SlidingLog), Numbers::OnlyUnits(_)));
        assert!("counter count=5".parse::<GivenLimit>().is_err());
        assert!("a=count=5".parse::<GivenLimit>().is_err());
    }

    #[test]
    fn an_override_of_a_key_wins_and_a_partial_one_needs_a_limit() {
        let mut limits = limits(&["counter count=5 time=1m"]);
        limits.of_names.insert("n".to_owned(), "count=7".parse().unwrap());
        limits.of_keys.insert(key_of("p", "p:{x}:n").unwrap(), "counter count=8 time=1s".parse().unwrap());
        let of = |limits: &Limits, text: &str| limits.of(&key(text), Algorithm::Counter);
        assert_eq!(of(&limits, "p:{y}:n:c2"), Numbers::Known("counter count=7 time=1m".parse().unwrap()));
        assert_eq!(of(&limits, "p:{x}:n:c2"), Numbers::Known("counter count=8 time=1s".parse().unwrap()));
        limits.given.clear();
        assert!(matches!(of(&limits, "p:{y}:n:c2"), Numbers::OnlyUnits(_)));
    }
}
