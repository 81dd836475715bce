//! The measurements of the feature `metrics`: what is emitted, and the handles of the recorder.

mod handle;
mod limit;
pub(super) mod table;

pub(super) use handle::{Handle, Level};
pub(crate) use limit::LimitMetrics;
pub use table::{Kind, METRICS, Metric};
