//! Doors for the tests and benchmarks of this workspace. No part of the public interface: they change without notice.

use crate::error::Error;
use crate::store::redis::RedisStore;
use crate::store::redis::script::{ADJUST, DECIDE, single};

/// A store whose scripts begin with other Lua, such as a clock that stands in for the server's.
pub fn with_prelude(url: &str, prelude: &str) -> Result<RedisStore, Error> {
    RedisStore::of_scripts(url, prelude, scripts(), Some(single_scripts()))
}

/// A store with other scripts for single requests than [`single_scripts`].
pub fn with_single_scripts(url: &str, prelude: &str, texts: [(&str, &str); 5]) -> Result<RedisStore, Error> {
    RedisStore::of_scripts(url, prelude, scripts(), Some(texts))
}

/// A store with other scripts than [`scripts`], which also decide single requests.
pub fn with_texts(url: &str, prelude: &str, decide: &str, adjust: &str) -> Result<RedisStore, Error> {
    RedisStore::of_scripts(url, prelude, [decide, adjust], None)
}

/// The scripts `decide` and `adjust`.
#[must_use]
pub const fn scripts() -> [&'static str; 2] {
    [DECIDE, ADJUST]
}

/// The scripts of single requests, by name.
#[must_use]
pub const fn single_scripts() -> [(&'static str, &'static str); 5] {
    single::TEXTS
}
