//! The error of a limit whose numbers are wrong.

pub use super::rules::Violation as LimitError;
