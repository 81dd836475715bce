//! The Lua scripts: their texts, their arguments, and their replies.

pub(crate) mod range;
pub(crate) mod scripts;
pub(crate) mod single;
