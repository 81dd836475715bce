//! The rules of limits, which the runtime and the attribute share: bounds, error messages, and durations as text.

mod algorithm;
pub mod block;
pub mod bounds;
mod calendar;
pub mod duration;
pub mod numbers;
pub mod violation;

pub use algorithm::{Algorithm, Refill, State};
pub use calendar::{Calendar, Window, Zone};
pub use violation::LimitError;
