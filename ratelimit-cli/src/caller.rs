//! The key that the command line names with `--for` and `--part`.

mod hash;

use crate::exit::Failure;
use crate::options::Callers;
use crate::output::safe;
use crate::session::Session;
use ratelimit::identity::{Identity, KeyWriter};
use ratelimit::overrides::OverrideTarget;
use ratelimit::store::StoreKey;
use ratelimit::{Algorithm, AsKey, Key, RateLimiter};
use serde_json::{Value, json};
use std::fmt;
use std::net::IpAddr;

/// The maximum number of identities and of parts in a key.
const MOST: usize = 8;

/// One limit for one caller, or for all callers.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) name: String,
    identities: Vec<Word>,
    parts: Vec<Word>,
    /// The identity as the user wrote it. `None` if all callers share the limit.
    pub(crate) shown: Option<String>,
    /// The parts as the user wrote them.
    pub(crate) shown_parts: Vec<String>,
    /// The identity in the key, if the user wrote the hash of a readable identity.
    found: Option<String>,
}

/// One value of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Address(IpAddr),
    /// A text in the form in which `list` shows it. A plain text has the same form.
    Written(String),
    Text(String),
    Secret(String),
    /// The hash of an identity, or its beginning.
    Hash(String),
}

impl Caller {
    /// Creates the key of a name for an identity of the command line.
    pub(crate) fn new(name: &str, identity: Option<&str>, parts: &[String]) -> Result<Self, Failure> {
        if name.is_empty() {
            return Err(Failure::usage("the name of the limit is empty"));
        }
        let identities: Vec<Word> = identity.map(Word::split).unwrap_or_default();
        if identities.len() > MOST || parts.len() > MOST {
            return Err(Failure::usage(format!("a key has at most {MOST} identities and {MOST} parts")));
        }
        let (shown, shown_parts) = (identity.map(str::to_owned), parts.to_vec());
        let parts = parts.iter().map(|part| Word::read(part)).collect();
        Ok(Self { name: name.to_owned(), identities, parts, shown, shown_parts, found: None })
    }

    /// One key for each identity, or one key without an identity. Searches the server for identities that are given as hashes.
    /// Leaves out the keys whose node is missing. If there are such keys, also returns the failure with which the command must
    /// end.
    ///
    /// # Errors
    ///
    /// If no key is left, or if an identity is wrong.
    pub(crate) async fn all(
        name: &str,
        callers: &Callers,
        session: &Session,
    ) -> Result<(Vec<Self>, Result<(), Failure>), Failure> {
        let none = callers.identities.is_empty().then_some(None);
        let (mut all, mut left_out, mut why) = (Vec::new(), Vec::new(), None);
        for identity in none.into_iter().chain(callers.identities.iter().map(Some)) {
            let caller = Self::new(name, identity.map(String::as_str), &callers.parts)?;
            let caller = caller.found(false, session).await?;
            // The keys of all algorithms are on one slot.
            match session.server_of(&session.limiter.store_key(caller.key(), Algorithm::Counter)?) {
                Ok(_) => all.push(caller),
                Err(failure) => {
                    left_out.push(safe(&caller.to_string()));
                    why.get_or_insert(failure);
                }
            }
        }
        let consequence = format!("nothing was done for {}", left_out.join(" and "));
        match why.map(|failure: Failure| failure.and(&consequence)) {
            Some(failure) if all.is_empty() => Err(failure),
            left_out => Ok((all, left_out.map_or(Ok(()), Err))),
        }
    }

    /// The key in the form that the limiter's methods take.
    pub(crate) fn key(&self) -> impl AsKey + '_ {
        Key::of_values(&self.name, &self.identities, &self.parts)
    }

    /// The fields of the caller in JSON.
    pub(crate) fn as_json(&self) -> Value {
        json!({ "name": self.name, "identity": self.shown, "found": self.found, "parts": self.shown_parts })
    }

    /// The advice to add parts, if the name has more placeholders than the command line has parts. Missing parts are not an
    /// error, because a program may choose a name with braces.
    pub(crate) fn missing_parts(&self) -> Option<String> {
        let braces = self.name.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
        let placeholders: Vec<&str> = braces.map(|(name, _)| name).filter(|name| !name.is_empty()).collect();
        let missing = placeholders.get(self.parts.len()..).filter(|missing| !missing.is_empty())?;
        let options: Vec<String> =
            missing.iter().map(|name| format!("--part {}", name.to_uppercase())).collect();
        Some(format!(
            "`{}` has placeholders; to name the limit of one value, add `{}`",
            self.name,
            options.join(" ")
        ))
    }

    /// The target of an override for this caller.
    pub(crate) fn target(&self, limiter: &RateLimiter) -> Result<OverrideTarget, Failure> {
        if self.identities.is_empty() && self.parts.is_empty() {
            return Ok(OverrideTarget::Name(self.name.clone()));
        }
        let key = limiter.store_key(self.key(), Algorithm::Counter)?;
        let key = String::from_utf8_lossy(key.as_bytes());
        let without_format = key.rsplit_once(':').map_or(&*key, |(before, _)| before);
        Ok(OverrideTarget::Key(without_format.to_owned()))
    }

    /// The keys of the store, one for each algorithm.
    pub(crate) fn store_keys(&self, limiter: &RateLimiter) -> Result<Vec<(Algorithm, StoreKey)>, Failure> {
        let key = |algorithm| Ok((algorithm, limiter.store_key(self.key(), algorithm)?));
        Algorithm::ALL.into_iter().map(key).collect()
    }
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(shown) = &self.shown {
            write!(f, " for {shown}")?;
        }
        if let Some(found) = &self.found {
            write!(f, " ({found})")?;
        }
        match &self.shown_parts[..] {
            [] => Ok(()),
            [part] => write!(f, ", part {part}"),
            parts => write!(f, ", parts {}", parts.join(", ")),
        }
    }
}

impl Word {
    /// Reads the values of a tuple.
    fn split(text: &str) -> Vec<Self> {
        if text.starts_with("text:") || text.starts_with("secret:") {
            return vec![Self::read(text)];
        }
        text.split(',').map(Self::read).collect()
    }

    fn read(text: &str) -> Self {
        if let Some(secret) = text.strip_prefix("secret:") {
            Self::Secret(secret.to_owned())
        } else if let Some(text) = text.strip_prefix("text:") {
            Self::Text(text.to_owned())
        } else if let Some(hash) = hash::read(text) {
            Self::Hash(hash.to_owned())
        } else if let Ok(address) = text.parse() {
            Self::Address(address)
        } else {
            Self::Written(text.to_owned())
        }
    }
}

impl Identity for Word {
    fn write(&self, key: &mut KeyWriter<'_>) {
        match self {
            Self::Address(address) => key.ip(*address),
            Self::Written(text) | Self::Hash(text) => key.written(text),
            Self::Text(text) => key.text(text),
            Self::Secret(secret) => key.secret(secret.as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(identity: &str) -> String {
        let limiter = RateLimiter::in_memory();
        let caller = Caller::new("login", Some(identity), &[]).unwrap();
        let keys = caller.store_keys(&limiter).unwrap();
        let key = String::from_utf8(keys[0].1.as_bytes().to_vec()).unwrap();
        let (tag, _) = key.strip_prefix("ratelimit:{").unwrap().split_once("}:login:").unwrap();
        tag.to_owned()
    }

    #[test]
    fn an_identity_is_read_as_it_is_shown() {
        let hash = "#0123456789abcdef0123456789abcdef";
        for (given, expected) in [
            ("203.0.113.7", "203.0.113.7"),
            ("2001:db8:1:2::9", "2001-db8-1-2/64"),
            ("2001-db8-1-2/64", "2001-db8-1-2/64"),
            ("alice", "alice"),
            ("al ice", "al%20ice"),
            ("al%20ice", "al%20ice"),
            ("100%", "100%25"),
            ("text:2001:db8::9", "2001%3adb8%3a%3a9"),
            ("text:a,b", "a%2cb"),
            ("203.0.113.7,alice", "203.0.113.7,alice"),
            (hash, hash),
        ] {
            assert_eq!(written(given), expected, "{given}");
        }
        let (long, escaped) = ("x".repeat(65), "%20".repeat(64));
        assert!(written(&long).starts_with('#'), "the library hashes it, too");
        assert_eq!(written(&escaped), escaped);
        assert!(written("secret:sesame").starts_with('#') && !written("secret:sesame").contains("sesame"));
    }

    #[test]
    fn parts_are_shown_and_missed() {
        let caller = |name: &str, parts: &[&str]| {
            let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
            Caller::new(name, Some("ann"), &parts).unwrap()
        };
        let shown = |parts: &[&str]| caller("report:{kind}:{day}", parts).to_string();
        assert_eq!(shown(&["pdf"]), "report:{kind}:{day} for ann, part pdf");
        assert_eq!(shown(&["pdf", "1"]), "report:{kind}:{day} for ann, parts pdf, 1");
        let missing = caller("report:{kind}:{day}", &["pdf"]).missing_parts().unwrap();
        assert!(missing.ends_with("add `--part DAY`"), "{missing}");
        for (name, parts) in
            [("login", &[][..]), ("{kind}", &["pdf"]), ("a{}", &[]), ("a{b", &[]), ("a", &["b"])]
        {
            assert_eq!(caller(name, parts).missing_parts(), None, "{name}");
        }
    }

    #[test]
    fn too_many_values_are_refused() {
        let many = ["a"; MOST + 1].join(",");
        assert!(Caller::new("login", Some(&many), &[]).is_err());
        assert!(Caller::new("", None, &[]).is_err());
    }
}
