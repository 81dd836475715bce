//! Functions for the tests and benchmarks of this workspace. They are not part of the public interface and change without
//! notice.

pub use crate::store::redis::connect::network;

/// The definitions of the algorithms and the random operations of the conformance suite, which the tests use as well.
#[cfg(feature = "conformance")]
pub mod conformance {
    pub use crate::testing::conformance::definitions;
    pub use crate::testing::conformance::random::operations::{
        Operation, Outcome, agree, answer, by_definition,
    };
    pub use crate::testing::conformance::random::shorten::shorten;
    pub use crate::testing::conformance::random::traffic;
}

use crate::error::Error;
use crate::store::redis::RedisStore;
use ratelimit_lua::{ADJUST, DECIDE, SINGLE};

/// Makes a store whose scripts begin with other Lua code, such as a clock that replaces the server's.
pub fn with_prelude(url: &str, prelude: &str) -> Result<RedisStore, Error> {
    RedisStore::of_scripts(url, prelude, scripts(), Some(single_scripts()))
}

/// Makes a store with other scripts for single requests than [`single_scripts`].
pub fn with_single_scripts(url: &str, prelude: &str, texts: [(&str, &str); 5]) -> Result<RedisStore, Error> {
    RedisStore::of_scripts(url, prelude, scripts(), Some(texts))
}

/// Makes a store with other scripts than [`scripts`]. They also decide single requests.
pub fn with_texts(url: &str, prelude: &str, decide: &str, adjust: &str) -> Result<RedisStore, Error> {
    RedisStore::of_scripts(url, prelude, [decide, adjust], None)
}

/// Returns the scripts `decide` and `adjust`.
pub const fn scripts() -> [&'static str; 2] {
    [DECIDE, ADJUST]
}

/// Returns the scripts of single requests, by name.
pub const fn single_scripts() -> [(&'static str, &'static str); 5] {
    SINGLE
}

/// Makes the random numbers of this thread depend on the seed only.
pub fn set_seed(seed: Option<u64>) {
    crate::random::set_seed(seed);
}
