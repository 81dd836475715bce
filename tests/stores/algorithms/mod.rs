//! Tests of the algorithms through the limiter, on both stores: charges, turns, methods and long-term rates. Other tests are only
//! about the memory store.

mod charges;
mod keep;
mod memory_state;
mod memory_store;
mod methods;
mod rates;
mod waiting;
