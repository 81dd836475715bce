//! `StoredKey`: a key that was found in a store, for tools that list limits.

use super::{AsKey, Name, ValueSink};
use crate::identity::Identity;
use crate::limit::Algorithm;
use crate::macros::opaque;
use crate::writer::{Bytes, KeyWriter, is_written};

/// A key that was found in a store: the name of a limit, its identities and parts (escaped or hashed), and the format of its
/// state. It is for tools. The methods of [`RateLimiter`](crate::RateLimiter) accept it in place of the [`Key`](crate::Key)
/// from which it was made, even if the values are hashed. The limiter must have the same prefix.
///
/// ```
/// use ratelimit::store::StoredKey;
/// use ratelimit::{Key, Limit, RateLimiter};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let limiter = RateLimiter::in_memory();
/// let limit = Limit::counter(5, Duration::from_secs(60));
/// limiter.check(&limit, Key::new("report:{kind}").by("al ice").part("pdf")).await?;
///
/// let found = StoredKey::parse("ratelimit", b"ratelimit:{al%20ice}:report:<kind>=pdf:c2").unwrap();
/// assert_eq!(found.name(), "report:{kind}");
/// assert_eq!(found.identities().collect::<Vec<_>>(), ["al%20ice"]);
/// assert_eq!(limiter.peek(&limit, &found).await?.remaining(), 4);
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
#[must_use]
pub struct StoredKey {
    name: String,
    identities: Vec<Written>,
    parts: Vec<Written>,
    format: String,
}

/// A value in the form in which keys contain it: escaped, or hashed if it is long or secret.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Written(Box<str>);

impl StoredKey {
    /// Reads a key of a limiter with this prefix. Returns `None` for any other key: a key of another prefix or of another
    /// program, and the few keys that the library uses internally.
    pub fn parse(prefix: &str, key: &[u8]) -> Option<Self> {
        let key = std::str::from_utf8(key).ok()?;
        let (tag, rest) = key.strip_prefix(prefix)?.strip_prefix(":{")?.split_once("}:")?;
        let (identities, named, format) = match rest.rsplit_once(':') {
            Some((named, format)) => {
                (tag.split(',').map(Written::read).collect::<Option<_>>()?, named, format)
            }
            None => (Vec::new(), tag, rest),
        };
        let mut words = named.split('=');
        let name = name(words.next()?)?;
        let parts = words.map(Written::read).collect::<Option<_>>()?;
        let is_format = |byte: u8| byte.is_ascii_alphanumeric();
        (!format.is_empty() && format.bytes().all(is_format)).then(|| Self {
            name,
            identities,
            parts,
            format: format.to_owned(),
        })
    }

    /// The name of the limit.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The identities in the form in which the key contains them: `alice`, `al%20ice`, or `#` and 32 digits for a hash. Empty
    /// if all callers share the limit.
    pub fn identities(&self) -> impl Iterator<Item = &str> {
        self.identities.iter().map(|value| &*value.0)
    }

    /// The values of the placeholders, in the form in which the key contains them.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|value| &*value.0)
    }

    /// The algorithm. `None` if this version of the library cannot read the state, because another version has written it.
    pub fn algorithm(&self) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.state_format() == self.format)
    }

    /// Returns the same key with another format, such as the format of another algorithm.
    pub fn with_format(&self, format: &str) -> Self {
        Self { format: format.to_owned(), ..self.clone() }
    }

    /// The last part of the key: the algorithm and the version of its state format.
    pub fn format(&self) -> &str {
        &self.format
    }
}

/// Reads the name of a limit from its text in a key. Returns `None` if the text is not the form in which keys contain a name.
pub(super) fn name(written: &str) -> Option<String> {
    let open = written.replace('<', "{").replace('>', "}");
    let name = unescaped(&open)?;
    let mut again = Bytes::new();
    Name::new(&name).push_to(&mut again);
    (*again == *written.as_bytes()).then_some(name)
}

/// Removes the escapes from a text. Returns `None` if the text is malformed.
fn unescaped(written: &str) -> Option<String> {
    if written == "%" {
        return Some(String::new());
    }
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

impl Written {
    fn read(value: &str) -> Option<Self> {
        is_written(value).then(|| Self(value.into()))
    }
}

impl Identity for Written {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.written(&self.0);
    }
}

impl AsKey for StoredKey {
    fn name(&self) -> &str {
        &self.name
    }

    fn write_identities(&self, to: &mut ValueSink<'_, '_>) {
        self.identities.iter().for_each(|value| to.add(value));
    }

    fn write_parts(&self, to: &mut ValueSink<'_, '_>) {
        self.parts.iter().for_each(|value| to.add(value));
    }
}

opaque! {
    /// Prints only the name and the format, because identities and parts may be private.
    StoredKey, |this| name = this.name, format = this.format
}

#[cfg(test)]
mod tests;
