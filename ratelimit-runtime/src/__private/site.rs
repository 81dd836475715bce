//! `Site`: the constants of one attribute in the generated code.

use crate::key::Name;
use crate::limit::Limit;

/// The name of an attribute, and its limit if that is a constant.
#[derive(Debug)]
pub struct Site {
    pub(super) name: Name<'static>,
    pub(super) limit: Option<Limit>,
}

impl Site {
    /// A site whose limit is a constant.
    #[must_use]
    pub const fn new(name: &'static str, limit: Limit) -> Self {
        Self { name: Name::of_site(name), limit: Some(limit) }
    }

    /// A site whose limit is set at each call.
    #[must_use]
    pub const fn per_call(name: &'static str) -> Self {
        Self { name: Name::of_site(name), limit: None }
    }

    /// Says that the name is the attribute's `key`. Generated code says it of names with `::`, which look like the path of a
    /// function, of which clients see only the function.
    #[must_use]
    pub const fn written(mut self) -> Self {
        self.name = self.name.written();
        self
    }
}
