//! The processes that call a limit at the same time, and their records.

pub(crate) mod worker_limits;
pub(crate) mod workers;
