//! The engine: decides about all calls of traffic with the memory store, and moves the clock of the store. It never sleeps.

mod decide;
mod grid;
mod outcome;

pub(crate) use decide::decide;
pub(crate) use grid::Grid;
pub(crate) use outcome::{CallerCounts, Outcome};
