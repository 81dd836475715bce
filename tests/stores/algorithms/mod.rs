//! TODO

mod charges;
mod costs;
mod memory_store;
mod rates;
mod refunds;
mod waiting;
