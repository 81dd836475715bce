//! TODO

mod queue;
mod slow_calls;
