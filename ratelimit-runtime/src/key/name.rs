//! `Name`: the name of a limit in a key.

use crate::writer::{Bytes, Secrets, copy, is_plain, push_escaped};
use std::fmt;

/// The name of a limit. The programmer chose it, so it stays readable: colons are not escaped, and braces become `<` and `>`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'n> {
    text: Text<'n>,
    /// Whether it is known that the key contains the name unchanged. For an attribute, this is computed at compile time.
    plain: bool,
}

/// The text of a name, and its source.
#[derive(Clone, Copy, Debug)]
enum Text<'n> {
    /// The `key` of an attribute.
    Written(&'static str),
    /// The name of a limit of a layer.
    Layer(&'static str),
    /// The path of a function whose attribute has no `key`.
    Path(&'static str),
    /// The name of a limit of outgoing calls, which clients do not see.
    Internal(&'static str),
    /// The name of an adaptive limit.
    Adaptive(&'static str),
    /// The name in a key that the caller has passed to a method of the limiter.
    Given(&'n str),
}

impl Name<'static> {
    /// Creates the name of an attribute's limit. A text with `::` counts as the path of a function. For a `key` with `::`, use
    /// [`written`](Self::written) instead.
    pub(crate) const fn of_site(text: &'static str) -> Self {
        let bytes = text.as_bytes();
        let mut i = 1;
        while i < bytes.len() {
            if bytes[i - 1] == b':' && bytes[i] == b':' {
                return Self::of(Text::Path(text));
            }
            i += 1;
        }
        Self::written(text)
    }

    /// Creates a name from the name of a layer's limit.
    pub(crate) const fn of_layer(text: &'static str) -> Self {
        Self::of(Text::Layer(text))
    }

    /// Creates the name of an adaptive limit.
    pub(crate) const fn adaptive(text: &'static str) -> Self {
        Self { text: Text::Adaptive(text), plain: false }
    }

    /// Creates a name from the `key` of an attribute.
    pub(crate) const fn written(text: &'static str) -> Self {
        Self::of(Text::Written(text))
    }

    /// Returns the name that the same limit has as a shadow limit. Its text is `text`. If this name is the path of a function,
    /// the new name is a path too.
    pub(crate) const fn renamed(self, text: &'static str) -> Self {
        Self::of(if let Text::Path(_) = self.text { Text::Path(text) } else { Text::Written(text) })
    }

    /// Returns the same name for a limit of outgoing calls, which clients do not see.
    pub(crate) const fn internal(self) -> Self {
        Self { text: Text::Internal(self.text.as_str()), plain: self.plain }
    }
}

impl<'n> Name<'n> {
    /// Creates a name from a key that the caller has passed to a method.
    #[inline]
    pub(crate) const fn new(text: &'n str) -> Self {
        Self { text: Text::Given(text), plain: false }
    }

    const fn of(text: Text<'n>) -> Self {
        let name = Self { text, plain: false };
        Self { text, plain: name.is_plain() }
    }

    const fn is_plain(&self) -> bool {
        let bytes = self.as_str().as_bytes();
        let (mut plain, mut i) = (!bytes.is_empty(), 0);
        while i < bytes.len() {
            plain = plain && (bytes[i] == b':' || is_plain(bytes[i]));
            i += 1;
        }
        plain
    }

    #[inline]
    pub(crate) const fn as_str(&self) -> &'n str {
        self.text.as_str()
    }

    /// Returns whether the decisions of the limit are recorded in the web request. The decisions of attributes and layers are
    /// recorded. Decisions about a key that is passed to a method are not recorded, and neither are those of adaptive limits.
    #[inline]
    pub(crate) const fn is_recorded(&self) -> bool {
        !matches!(self.text, Text::Given(_) | Text::Adaptive(_))
    }

    #[inline]
    pub(crate) fn summand(self, secrets: &Secrets) -> u128 {
        secrets.of_name(self.as_str().as_bytes())
    }

    #[cfg(test)]
    pub(crate) fn group(self) -> NameGroup {
        NameGroup::of(self.summand(crate::writer::secrets()))
    }

    #[inline]
    pub(super) fn push_to(self, bytes: &mut Bytes) {
        if self.plain || self.is_plain() {
            bytes.extend_from_slice(self.as_str().as_bytes());
        } else {
            self.push_escaped_to(bytes);
        }
    }

    fn push_escaped_to(self, bytes: &mut Bytes) {
        let text = self.as_str();
        if text.is_empty() {
            bytes.push(b'%');
        }
        for byte in text.bytes() {
            match byte {
                b'{' => bytes.push(b'<'),
                b'}' => bytes.push(b'>'),
                b':' => bytes.push(b':'),
                other => push_escaped(bytes, other),
            }
        }
    }
}

impl<'n> Text<'n> {
    #[inline]
    #[expect(clippy::match_same_arms, reason = "the texts have different lifetimes")]
    const fn as_str(self) -> &'n str {
        match self {
            Self::Written(text)
            | Self::Layer(text)
            | Self::Path(text)
            | Self::Internal(text)
            | Self::Adaptive(text) => text,
            Self::Given(text) => text,
        }
    }
}

/// One of a few groups of names. The groups are random, and differ from process to process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NameGroup(u8);

impl NameGroup {
    pub(crate) const NUMBER: usize = 256;

    #[inline]
    pub(crate) const fn of(summand: u128) -> Self {
        Self((summand >> 120) as u8)
    }

    #[inline]
    pub(crate) const fn number(self) -> usize {
        self.0 as usize
    }
}

/// The name of a limit, which does not borrow from a key. A name of at most 22 bytes needs no heap allocation.
#[derive(Clone)]
pub(crate) enum LimitName {
    /// The `key` of an attribute.
    Static(&'static str),
    /// The name of a limit of a layer.
    Layer(&'static str),
    /// The name of an attribute without a `key`: `crate::module::function`, or `crate::module::function/1s`.
    Path(&'static str),
    /// The name of a limit of outgoing calls.
    Internal(&'static str),
    /// The name of an adaptive limit.
    Adaptive(&'static str),
    /// A name of at most 22 bytes in UTF-8, from a key of the caller.
    Short { len: u8, bytes: [u8; SHORT] },
    /// A longer name, from a key of the caller.
    Long(Box<str>),
}

/// The maximum length of a short name in bytes. It keeps a `LimitName` at three words, so that a `Rejection` is small.
const SHORT: usize = 22;

impl LimitName {
    #[inline]
    pub(crate) fn copy(name: &str) -> Self {
        let mut bytes = [0; SHORT];
        let (Ok(len), Some(place)) = (u8::try_from(name.len()), bytes.get_mut(..name.len())) else {
            return Self::Long(name.into());
        };
        copy(place, name.as_bytes());
        Self::Short { len, bytes }
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Static(name)
            | Self::Layer(name)
            | Self::Path(name)
            | Self::Internal(name)
            | Self::Adaptive(name) => name,
            Self::Short { len, bytes } => {
                bytes.get(..usize::from(*len)).and_then(|name| str::from_utf8(name).ok()).unwrap_or_default()
            }
            Self::Long(name) => name,
        }
    }

    /// Whether a layer has the limit.
    pub(crate) const fn is_of_layer(&self) -> bool {
        matches!(self, Self::Layer(_))
    }

    /// Whether clients see neither the name nor the numbers of the limit.
    pub(crate) const fn is_internal(&self) -> bool {
        matches!(self, Self::Internal(_))
    }

    /// Whether the limit is adaptive.
    pub(crate) const fn is_adaptive(&self) -> bool {
        matches!(self, Self::Adaptive(_))
    }

    /// Returns the name that clients may see. For a limit of outgoing calls, this is just `internal`. For a path, this is the function with its time, so that clients do not see the
    /// modules.
    pub(crate) fn public(&self) -> &str {
        if self.is_internal() {
            return "internal";
        }
        let name = self.as_str();
        if let Self::Path(_) = self {
            // A time such as `/1s` has no colon, so the last `::` is in front of the function.
            return name.rsplit_once("::").map_or(name, |(_, function)| function);
        }
        name
    }
}

#[cfg(test)]
impl From<&'static str> for LimitName {
    fn from(name: &'static str) -> Self {
        Self::Static(name)
    }
}

impl From<Name<'_>> for LimitName {
    #[inline]
    fn from(name: Name<'_>) -> Self {
        match name.text {
            Text::Written(text) => Self::Static(text),
            Text::Layer(text) => Self::Layer(text),
            Text::Path(text) => Self::Path(text),
            Text::Internal(text) => Self::Internal(text),
            Text::Adaptive(text) => Self::Adaptive(text),
            Text::Given(text) => Self::copy(text),
        }
    }
}

impl fmt::Debug for LimitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_see_the_function_of_a_path_and_all_of_a_key() {
        for (name, public) in [
            (Name::of_site("shop::api::search"), "search"),
            (Name::of_site("shop::api::search/1d"), "search/1d"),
            (Name::of_site("shop::api::search/90ms/shadow"), "search/90ms/shadow"),
            (Name::of_site("search"), "search"),
            (Name::of_site("/a/b"), "/a/b"),
            (Name::written("shop::api::search"), "shop::api::search"),
            (Name::written("::"), "::"),
            (Name::of_site(""), ""),
            (Name::of_site("a:b"), "a:b"),
            (Name::of_site("a:"), "a:"),
        ] {
            assert!(name.is_recorded());
            assert_eq!(LimitName::from(name).public(), public);
            assert_eq!(LimitName::from(name).as_str(), name.as_str());
            let given = Name::new(name.as_str());
            assert_eq!(LimitName::from(given).public(), name.as_str(), "a `Key` is written by hand");
            assert!(!given.is_recorded());
        }
    }

    #[test]
    fn a_name_in_a_trial_is_a_path_if_the_name_is_one() {
        let public = |name| LimitName::from(Name::of_site(name).renamed("a::f/1s")).public().to_owned();
        assert_eq!((public("a::f"), public("f")), ("f/1s".to_owned(), "a::f/1s".to_owned()));
        assert_eq!(format!("{:?}", LimitName::from(Name::of_site("a::f"))), "\"a::f\"");
    }

    #[test]
    fn a_name_is_small() {
        assert!(size_of::<LimitName>() <= 24 && size_of::<Name<'_>>() <= 32);
    }
}
