//! Group commit: calls that arrive while another call is under way are sent together, in one script call.
//!
//! Each module imports only from those before it: [`replies`], [`merge`], [`group`], [`sending`], [`signal`], [`task`],
//! [`call`].

mod call;
mod group;
mod merge;
mod replies;
mod sending;
mod signal;
mod task;

pub(crate) use call::QueuedCall;
pub(crate) use merge::is_batchable;

#[cfg(test)]
mod tests;
