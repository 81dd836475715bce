//! `CallName`: the name of a limit, and whether its call belongs to a request.

use crate::key::{LimitName, Name};

/// The name of a limit of a call: a [`Name`] of an attribute or a layer, or the text in the key of a method's caller.
pub(crate) trait CallName: Copy + Unpin {
    /// Whether the call belongs to a request: its decisions and its rejection are recorded in the request context.
    const IS_RECORDED: bool;

    fn text(&self) -> &str;

    fn limit_name(self) -> LimitName;
}

impl CallName for Name<'static> {
    const IS_RECORDED: bool = true;

    fn text(&self) -> &str {
        self.as_str()
    }

    fn limit_name(self) -> LimitName {
        self.into()
    }
}

impl CallName for &str {
    const IS_RECORDED: bool = false;

    fn text(&self) -> &str {
        self
    }

    fn limit_name(self) -> LimitName {
        LimitName::copy(self)
    }
}
