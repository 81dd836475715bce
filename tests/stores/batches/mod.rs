//! Calls that are sent together. Each call is counted once and receives its own decision, also if other calls fail, are
//! dropped, or are never polled again.

pub(crate) mod concurrent_calls;
mod dropped_calls;
mod failures;
mod fleet_model;
mod large_costs;
mod lost_batches;
mod randomly_dropped_calls;
