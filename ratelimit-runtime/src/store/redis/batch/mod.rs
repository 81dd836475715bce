//! Group commit: calls that arrive while another one is under way share a script call.

pub(crate) mod commit;
mod group;
pub(crate) mod merge;
