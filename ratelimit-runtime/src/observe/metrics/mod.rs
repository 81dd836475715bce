//! The measurements of the feature `metrics`: what is emitted, and the handles of the recorder.

mod handle;
mod limit;
pub(super) mod table;

pub(super) use handle::{Handle, Level};
pub(super) use limit::LimitMetrics;
pub(crate) use limit::LimitSeries;
pub use table::{Kind, METRICS, Metric};
