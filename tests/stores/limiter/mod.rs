//! TODO

mod default_limiter;
mod deny_cache;
mod floods;
mod overrides;
