//! The algorithms through the limiter, on both stores: charges, turns, methods and long-term rates; and the memory store.

mod charges;
mod keep;
mod memory_state;
mod memory_store;
mod methods;
mod rates;
mod waiting;
