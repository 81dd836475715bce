//! Several tokio runtimes that share a limiter: a runtime that is blocked, idle or shut down delays no other.

mod eight_runtimes;
mod shared_limiter;
mod without_timers;
