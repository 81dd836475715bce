//! Keys as stores see them.

use super::INLINE;
use std::fmt;
use std::hash::Hasher;

/// A key as a store sees it. Its bytes are unique to a limiter's prefix, a limit's name and form, and the identity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StoreKey<'a> {
    pub(super) prefix: &'a str,
    pub(super) body: &'a [u8],
    pub(super) form: &'static str,
}

impl<'a> StoreKey<'a> {
    /// A key that a test of a store makes up. Limiters render theirs from a [`Key`](crate::Key).
    #[must_use]
    pub const fn new(prefix: &'a str, body: &'a str) -> Self {
        Self { prefix, body: body.as_bytes(), form: "" }
    }

    pub(crate) const fn with_form(self, form: &'static str) -> Self {
        Self { form, ..self }
    }

    /// The length of the key in bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.prefix.len() + self.body.len() + self.form.len() + 2
    }

    /// Never: a key has at least its separators.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// Appends the bytes of the key.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        out.reserve(self.len());
        self.pieces().into_iter().for_each(|piece| out.extend_from_slice(piece));
    }

    /// Feeds the bytes of the key to a hasher, in one piece: hashers are slow at many small ones.
    pub fn hash_into(&self, hasher: &mut impl Hasher) {
        let mut short = [0; INLINE + 64];
        let mut end = 0;
        for piece in self.pieces() {
            let Some(room) = short.get_mut(end..end + piece.len()) else {
                let mut long = Vec::new();
                self.write_to(&mut long);
                return hasher.write(&long);
            };
            room.copy_from_slice(piece);
            end += piece.len();
        }
        hasher.write(&short[..end]);
    }

    fn pieces(&self) -> [&'a [u8]; 5] {
        [self.prefix.as_bytes(), b":", self.body, b":", self.form.as_bytes()]
    }
}

/// Keys hold addresses and user names: they are not printed.
impl fmt::Debug for StoreKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreKey")
            .field("prefix", &self.prefix)
            .field("form", &self.form)
            .finish_non_exhaustive()
    }
}
