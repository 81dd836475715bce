//! Keys as they are in the store: reads them back, for tools that list limits.

use super::{AsKey, Values};
use crate::identity::Identity;
use crate::limit::Algorithm;
use crate::macros::opaque;
use crate::writer::{Bytes, KeyWriter, is_written};

/// A key that was found in a store: the name of a limit, its identities and parts as they are written, and the format of its
/// state. It is for tools. The methods of [`RateLimiter`](crate::RateLimiter) accept it as a [`Key`](crate::Key) of the same
/// prefix, also if its values are hashed.
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
    identities: Written,
    parts: Written,
    format: String,
}

/// Values as a key has them: escaped, and hashed where they are long or secret.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Written(Vec<Box<str>>);

impl StoredKey {
    /// Reads a key of a limiter with this prefix. Returns `None` for any other key: that of another prefix, of another
    /// program, and the few keys that the library needs for itself.
    pub fn parse(prefix: &str, key: &[u8]) -> Option<Self> {
        let key = std::str::from_utf8(key).ok()?;
        let (tag, rest) = key.strip_prefix(prefix)?.strip_prefix(":{")?.split_once("}:")?;
        let (identities, named, format) = match rest.rsplit_once(':') {
            Some((named, format)) => (Written::read(tag.split(','))?, named, format),
            None => (Written::default(), tag, rest),
        };
        let mut words = named.split('=');
        let name = name(words.next()?)?;
        let parts = Written::read(words)?;
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

    /// The identities as they are written: `alice`, `al%20ice`, or `#` and 32 digits for a hash. None if all callers share the
    /// limit.
    pub fn identities(&self) -> impl Iterator<Item = &str> {
        self.identities.0.iter().map(AsRef::as_ref)
    }

    /// The values of the placeholders, as they are written.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.parts.0.iter().map(AsRef::as_ref)
    }

    /// The algorithm. `None` if another version of the library has written the state, which this version does not read.
    pub fn algorithm(&self) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.state_format() == self.format)
    }

    /// The same key with another format, such as that of another algorithm.
    pub fn with_format(&self, format: &str) -> Self {
        Self { format: format.to_owned(), ..self.clone() }
    }

    /// The last part of the key: the algorithm and the version of its state format.
    pub fn format(&self) -> &str {
        &self.format
    }
}

/// The name of a limit from its text in a key. `None` if no name is written so.
fn name(written: &str) -> Option<String> {
    let open = written.replace('<', "{").replace('>', "}");
    let name = unescaped(&open)?;
    let mut again = Bytes::new();
    super::Name::new(&name).push_to(&mut again);
    (*again == *written.as_bytes()).then_some(name)
}

/// The text of an escaped text.
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
    fn read<'k>(values: impl Iterator<Item = &'k str>) -> Option<Self> {
        values.map(|value| is_written(value).then(|| value.into())).collect::<Option<_>>().map(Self)
    }
}

impl AsKey for StoredKey {
    fn name(&self) -> &str {
        &self.name
    }

    fn identities(&self) -> &dyn Values {
        &self.identities
    }

    fn parts(&self) -> &dyn Values {
        &self.parts
    }
}

impl Values for Written {
    fn each(&self, visitor: &mut dyn FnMut(&dyn Identity)) {
        for value in &self.0 {
            visitor(&WrittenValue(value));
        }
    }
}

struct WrittenValue<'v>(&'v str);

impl Identity for WrittenValue<'_> {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.written(self.0);
    }
}

opaque! {
    /// Prints no identity and no part.
    StoredKey, |this| name = this.name, format = this.format
}

#[cfg(test)]
mod tests;
