//! TODO

mod eight_runtimes;
mod shared_limiter;
