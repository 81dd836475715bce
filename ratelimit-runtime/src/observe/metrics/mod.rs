//! The measurements of the feature `metrics`: the table of metrics, and the handles of the recorder's instruments.

mod handle;
mod limit;
pub(super) mod table;

pub(super) use handle::{Handle, Level};
pub(crate) use limit::LimitMetrics;
pub use table::{Kind, METRICS, Metric};
