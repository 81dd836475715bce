//! The algorithms with their exact numbers, on both stores: charges, refunds, turns, long-term rates, and the memory store.

mod charges;
mod costs;
mod memory_store;
mod rates;
mod refunds;
mod waiting;
