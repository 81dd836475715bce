//! TODO

mod aborted_calls;
pub(crate) mod concurrent_calls;
mod dropped_calls;
mod failures;
mod fleet_model;
