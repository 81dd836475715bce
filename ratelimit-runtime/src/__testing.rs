//! Functions for the tests and benchmarks of this workspace. They are not part of the public interface and may change at any
//! time.

pub use crate::store::redis::connect::network;

/// The definitions of the algorithms and the random operations of the conformance suite, which the tests also use.
#[cfg(feature = "conformance")]
pub mod conformance {
    pub use crate::testing::conformance::definitions;
    pub use crate::testing::conformance::random::operations::{
        Operation, Outcome, agree, answer, by_definition,
    };
    pub use crate::testing::conformance::random::shorten::shorten;
    pub use crate::testing::conformance::random::traffic;
}

use crate::decision::Decision;
use crate::error::Error;
use crate::limit::Limit;
use crate::proxies::parse;
use crate::store::Mode;
use crate::store::redis::RedisStore;
use crate::store::redis::connect::Target;
use crate::store::redis::script::decisions;
use ratelimit_lua::{ADJUST, DECIDE, RESET, SINGLE};
use std::net::IpAddr;

/// Makes a store whose scripts begin with additional Lua code, such as a clock that replaces the server's clock.
pub fn with_prelude(url: &str, prelude: &str) -> Result<RedisStore, Error> {
    RedisStore::of_scripts(url, prelude, scripts(), Some(single_scripts()))
}

/// Makes a store whose scripts for single requests replace [`single_scripts`].
pub fn with_single_scripts(url: &str, prelude: &str, texts: [(&str, &str); 5]) -> Result<RedisStore, Error> {
    RedisStore::of_scripts(url, prelude, scripts(), Some(texts))
}

/// Makes a store whose scripts replace [`scripts`]. These scripts also decide single requests.
pub fn with_texts(url: &str, prelude: &str, decide: &str, adjust: &str) -> Result<RedisStore, Error> {
    RedisStore::of_scripts(url, prelude, [decide, adjust], None)
}

/// Returns the scripts `decide` and `adjust`.
pub const fn scripts() -> [&'static str; 2] {
    [DECIDE, ADJUST]
}

/// Returns the script `reset`.
pub const fn reset_script() -> &'static str {
    RESET
}

/// Returns the scripts for single requests, each with its name.
pub const fn single_scripts() -> [(&'static str, &'static str); 5] {
    SINGLE
}

/// Makes the random numbers of this thread depend only on the seed. `None` makes them unpredictable again.
pub fn set_seed(seed: Option<u64>) {
    crate::random::set_seed(seed);
}

/// Reads the URL of a store. Returns an error if the URL is malformed.
pub fn read_url(url: &str) -> Result<(), Error> {
    Target::parse(url).map(drop)
}

/// Reads a reply of `decide` as the client does. `None` if the client would refuse it.
pub fn read_reply(reply: &[u8], mode: Mode, limits: &[Limit]) -> Option<Vec<Decision>> {
    let decisions = decisions(&redis::Value::BulkString(reply.to_vec()), mode, limits.iter()).ok()?;
    Some(decisions.iter().copied().collect())
}

/// Reads the entries of a line of `Forwarded` or of `X-Forwarded-For`, from right to left.
pub fn forwarded_entries(is_rfc7239: bool, line: &[u8]) -> impl Iterator<Item = Option<IpAddr>> + '_ {
    parse::entries(if is_rfc7239 { parse::Syntax::Rfc7239 } else { parse::Syntax::List }, line)
}

/// Reads the address of a header that has only one address.
pub fn forwarded_address(value: &[u8]) -> Option<IpAddr> {
    parse::single(value)
}
