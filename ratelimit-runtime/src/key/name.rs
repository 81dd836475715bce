//! `Name`: the name of a limit in a key.

use super::Function;
use crate::writer::{Bytes, copy, is_plain, push_escaped};
use std::fmt;

/// The name of a limit. The programmer chose it, so its braces and colons stay readable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'n> {
    text: &'n str,
    /// Whether nothing in it must be escaped. For an attribute this is computed at compile time.
    plain: bool,
    /// Whether it is the path of a function.
    path: bool,
    /// The function, if functions inside of others may have the same path.
    function: Option<Function>,
}

impl<'n> Name<'n> {
    /// A name that somebody has written.
    pub(crate) const fn new(text: &'n str) -> Self {
        let bytes = text.as_bytes();
        let mut plain = !bytes.is_empty();
        let mut i = 0;
        while i < bytes.len() {
            plain = plain && (bytes[i] == b':' || is_plain(bytes[i]));
            i += 1;
        }
        Self { text, plain, path: false, function: None }
    }

    /// The name of an attribute. A name with `::` is the path of the function, unless it is [`written`](Self::written).
    pub(crate) const fn of_site(text: &'n str) -> Self {
        let bytes = text.as_bytes();
        let mut path = false;
        let mut i = 1;
        while i < bytes.len() {
            path = path || (bytes[i - 1] == b':' && bytes[i] == b':');
            i += 1;
        }
        Self { path, ..Self::new(text) }
    }

    /// Marks the name as the `key` of the attribute.
    pub(crate) const fn written(self) -> Self {
        Self { path: false, ..self }
    }

    /// Marks the name as the path of this function.
    pub(crate) const fn of_function(self, function: Function) -> Self {
        Self { function: Some(function), ..self }
    }

    /// The name of the same limit in a trial.
    pub(crate) const fn renamed(self, text: &'n str) -> Self {
        Self { path: self.path, function: self.function, ..Self::new(text) }
    }

    /// The path of the function in its module, if it is inside of another function or a type.
    #[inline]
    pub(super) fn around(&self) -> Option<&'static str> {
        self.function?.around(self.text)
    }

    pub(crate) const fn is_path(&self) -> bool {
        self.path
    }

    pub(crate) const fn as_str(&self) -> &'n str {
        self.text
    }

    #[inline]
    pub(super) fn push_to(self, bytes: &mut Bytes) {
        if self.plain {
            bytes.extend_from_slice(self.text.as_bytes());
        } else {
            self.push_escaped_to(bytes);
        }
    }

    fn push_escaped_to(self, bytes: &mut Bytes) {
        if self.text.is_empty() {
            bytes.push(b'%');
        }
        for byte in self.text.bytes() {
            match byte {
                b'{' => bytes.push(b'<'),
                b'}' => bytes.push(b'>'),
                b':' => bytes.push(b':'),
                other => push_escaped(bytes, other),
            }
        }
    }
}

/// The name of a limit, independent of the key that it comes from. A name of at most 30 bytes needs no heap.
#[derive(Clone)]
pub(crate) enum LimitName {
    /// The `key` of an attribute.
    Static(&'static str),
    /// The name of an attribute without a `key`: `crate::module::function`, or `crate::module::function/1s`.
    Path(&'static str),
    /// A short name in UTF-8, from a key of the caller.
    Short { len: u8, bytes: [u8; SHORT] },
    /// A longer name, from a key of the caller.
    Long(Box<str>),
}

/// The longest short name in bytes. A `LimitName` then has 32 bytes, so a `Rejection` stays small.
const SHORT: usize = 30;

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
            Self::Static(name) | Self::Path(name) => name,
            Self::Short { len, bytes } => {
                bytes.get(..usize::from(*len)).and_then(|name| str::from_utf8(name).ok()).unwrap_or_default()
            }
            Self::Long(name) => name,
        }
    }

    /// The name that clients may see. For a path, it is the function with the time after it, so that clients do not see the
    /// modules.
    pub(crate) fn public(&self) -> &str {
        let name = self.as_str();
        if let Self::Path(_) = self {
            // The time has no colon, and an identifier has no slash.
            return name.rsplit_once("::").map_or(name, |(_, function)| function);
        }
        name
    }
}

impl From<&'static str> for LimitName {
    fn from(name: &'static str) -> Self {
        Self::Static(name)
    }
}

impl From<Name<'static>> for LimitName {
    fn from(name: Name<'static>) -> Self {
        if name.is_path() { Self::Path(name.as_str()) } else { Self::Static(name.as_str()) }
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
            (Name::of_site("shop::api::search").written(), "shop::api::search"),
            (Name::of_site("::").written(), "::"),
            (Name::of_site(""), ""),
            (Name::of_site("a:b"), "a:b"),
            (Name::of_site("a:"), "a:"),
        ] {
            assert_eq!(name.is_path(), name.as_str().starts_with("shop") && public.starts_with("search"));
            assert_eq!(LimitName::from(name).public(), public);
            assert_eq!(LimitName::from(name).as_str(), name.as_str());
            assert_eq!(LimitName::copy(name.as_str()).public(), name.as_str(), "a `Key` is written by hand");
        }
    }

    #[test]
    fn a_name_in_a_trial_is_of_the_same_function() {
        let name = Name::of_site("a::f").of_function(Function::new(|| "a::g::f::H"));
        for name in [name, name.renamed("a::f/1s")] {
            assert_eq!((name.around(), name.is_path()), (Some("g"), true));
        }
        assert_eq!(format!("{:?}", LimitName::from(name)), "\"a::f\"");
    }

    #[test]
    fn a_name_is_small() {
        assert!(size_of::<LimitName>() <= 32);
    }
}
