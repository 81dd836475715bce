//! Group commit: calls that arrive while another call is under way are sent together, in one script call.
//!
//! The order of imports: [`merge`], [`group`], [`worker`], [`commit`].

mod commit;
mod group;
mod merge;
mod worker;

pub(crate) use commit::decide;
pub(crate) use merge::is_batchable;
