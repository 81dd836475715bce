//! Permits on a server: their return, their renewal, their loss, and calls that wait for them.

mod forked;
mod holding;
mod lost;
mod waiting;
