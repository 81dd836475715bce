//! Permits on a server: their return, their renewal, and calls that wait for them.

mod forked;
mod holding;
mod waiting;
