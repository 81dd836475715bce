//! `Name`: the name of a limit in a key.

use super::Function;
use crate::writer::{Bytes, is_plain, push_escaped};

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

    /// The name of an attribute. One with `::` is the path of the function, unless it is [`written`](Self::written).
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
