//! The engine: decides about all calls of traffic by the memory store, whose clock it moves. It never sleeps.

mod decide;
mod grid;
mod outcome;

pub(crate) use decide::decide;
pub(crate) use grid::Grid;
pub(crate) use outcome::{CallerCounts, Outcome};
