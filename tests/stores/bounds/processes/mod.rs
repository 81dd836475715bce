//! Processes that call one limit at the same time, and the records of their calls.

pub(crate) mod worker_limits;
pub(crate) mod workers;
