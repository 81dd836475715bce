//! Doors for the tests and benchmarks of this workspace. No part of the public interface: they change without notice.

use crate::error::Error;
use crate::store::redis::RedisStore;
use crate::store::redis::script::{scripts as script, single as lone};

/// A store whose scripts begin with other Lua, such as a clock that stands in for the server's.
pub fn with_prelude(url: &str, prelude: &str) -> Result<RedisStore, Error> {
    RedisStore::of_scripts(url, prelude, scripts(), Some(lone_scripts()))
}

/// A store with other scripts for lone requests than [`lone_scripts`].
pub fn with_lone_scripts(url: &str, prelude: &str, texts: [(&str, &str); 5]) -> Result<RedisStore, Error> {
    RedisStore::of_scripts(url, prelude, scripts(), Some(texts))
}

/// A store with other scripts than [`scripts`], which also decide lone requests.
pub fn with_texts(url: &str, prelude: &str, decide: &str, adjust: &str) -> Result<RedisStore, Error> {
    RedisStore::of_scripts(url, prelude, [decide, adjust], None)
}

/// The script of all decisions but the lone ones, and the script of all adjustments.
#[must_use]
pub const fn scripts() -> [&'static str; 2] {
    [script::DECIDE, script::ADJUST]
}

/// The scripts of lone requests, by name.
#[must_use]
pub const fn lone_scripts() -> [(&'static str, &'static str); 5] {
    lone::TEXTS
}
