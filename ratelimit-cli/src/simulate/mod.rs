//! `ratelimit simulate`: limits against traffic, in simulated time.

mod calendar;
mod engine;
mod hash;
mod notes;
mod numbers;
mod options;
mod output;
mod rate;
mod report;
mod shadow;
mod source;
mod time;
mod traffic;
mod work;

pub(crate) use options::{Simulate, Style};
pub(crate) use work::run;
