//! Traffic: calls in the order of their times, and their callers.

mod arrivals;
mod call;
pub(crate) mod callers;
pub(crate) mod log;
mod origin;

pub(crate) use arrivals::Arrivals;
pub(crate) use call::{Call, Spent, Traffic};
pub(crate) use callers::{Caller, name};
pub(crate) use origin::Origin;
