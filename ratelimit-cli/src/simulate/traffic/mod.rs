//! Traffic: calls in the order of their times, and who makes them.

mod arrivals;
mod call;
mod callers;
pub(crate) mod log;
mod origin;

pub(crate) use arrivals::{Arrivals, Burst};
pub(crate) use call::{Call, Traffic};
pub(crate) use callers::{Callers, MOST_CALLERS};
pub(crate) use origin::Origin;
