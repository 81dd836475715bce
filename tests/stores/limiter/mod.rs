//! The limiter around a store: overrides, the deny cache, floods of refused calls, and the default limiter of a process.

mod default_limiter;
mod deny_cache;
mod floods;
mod override_changes;
mod overrides;
