//! The stores to measure: the memory of this process, and Redis if there is a server.

use crate::private_redis::PrivateRedis;
use ratelimit::{OnError, RateLimiter};
use std::env::{self, VarError};
use std::error::Error;
use std::time::Duration;

/// The environment variable that names a Redis server.
const URL: &str = "RATELIMIT_URL";

/// A store to measure.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) description: String,
    pub(crate) limiter: RateLimiter,
    /// The private server, which stops when the target is dropped.
    _server: Option<PrivateRedis>,
}

/// Returns the stores of this machine, and the reason if Redis is missing.
pub(crate) async fn all() -> Result<(Vec<Target>, Option<String>), Box<dyn Error>> {
    let memory = Target {
        name: "memory",
        description: "the embedded memory store".to_owned(),
        limiter: RateLimiter::in_memory(),
        _server: None,
    };
    Ok(match redis().await? {
        Some(redis) => (vec![memory, redis], None),
        None => (
            vec![memory],
            Some(format!("Redis was not measured: no redis-server is installed, and {URL} is not set.")),
        ),
    })
}

/// Returns the server of `RATELIMIT_URL`, or a private server. `None` if neither exists.
async fn redis() -> Result<Option<Target>, Box<dyn Error>> {
    let (limiter, description, server) = match env::var(URL) {
        Ok(url) => {
            let limiter = connect(&url).await.map_err(|error| format!("{URL}: {error}"))?;
            (limiter, format!("the Redis of {URL}"), None)
        }
        Err(VarError::NotPresent) => {
            let Some(server) = PrivateRedis::start().await? else {
                return Ok(None);
            };
            (connect(&server.url()).await?, "a private redis-server".to_owned(), Some(server))
        }
        // The text of this error would contain the URL with its password.
        Err(VarError::NotUnicode(_)) => return Err(format!("{URL} is not valid Unicode").into()),
    };
    Ok(Some(Target { name: "Redis", description, limiter, _server: server }))
}

/// Connects with the policy `Deny`, so that a decision that Redis cannot make counts as a failure.
async fn connect(url: &str) -> Result<RateLimiter, ratelimit::Error> {
    RateLimiter::builder().redis(url).on_error(OnError::Deny).deadline(Duration::from_secs(1)).connect().await
}
