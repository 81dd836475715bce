//! Tests of the algorithms through the limiter, on both stores: charges, turns, methods and long-term rates. Other tests are only
//! about the memory store.

mod calendar;
mod charges;
mod keep;
mod memory_state;
mod memory_store;
mod methods;
mod rates;
mod waiting;

pub(crate) use calendar::{shortens_windows, steps_back_over_a_boundary};
