//! Several tokio runtimes that share a limiter: a blocked, idle or shut down runtime does not delay the others.

mod eight_runtimes;
mod shared_limiter;
mod without_timers;
