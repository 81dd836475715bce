//! TODO

mod holding;
mod waiting;
