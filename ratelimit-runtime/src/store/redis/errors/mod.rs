//! What an error of a server means, and which of its text may be shown.

pub(crate) mod failure;
mod known;
pub(crate) mod text;
