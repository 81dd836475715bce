//! The functions of the limiter around a store: overrides, the deny cache, limits that are nearly used up, the default limiter
//! of a process, and trusted proxies.

mod blocks;
mod default_limiter;
mod deny_cache;
mod deployments;
mod near_limit;
mod override_changes;
mod overrides;
mod proxies;
