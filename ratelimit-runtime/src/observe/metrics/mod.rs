//! The measurements of the feature `metrics`: what is emitted, and the handles of the recorder.

mod handle;
mod limit;
pub(super) mod table;

pub(super) use handle::{Handle, Level};
pub(super) use limit::{LimitMetrics, Measured, named};
pub use table::{Kind, METRICS, Metric};
