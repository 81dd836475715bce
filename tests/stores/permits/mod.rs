//! Permits on a server: how they come back, how they are renewed, and how calls wait for them.

mod holding;
mod waiting;
