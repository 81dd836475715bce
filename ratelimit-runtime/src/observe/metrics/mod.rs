//! The measurements of the feature `metrics`: what is emitted, and the handles of the recorder.

mod handle;
mod level;
mod limit;
pub(super) mod store;
mod table;

pub(super) use limit::LimitMetrics;
pub use table::{Kind, METRICS, Metric};
