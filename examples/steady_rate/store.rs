//! Where the limits are kept: in the memory of this process, and in Redis if there is one.

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
    /// For people.
    pub(crate) description: String,
    pub(crate) limiter: RateLimiter,
    /// Ends with it.
    _server: Option<PrivateRedis>,
}

/// The stores of this machine, and why one is missing.
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

/// The server that the environment names, else a private one; `None` if there is neither.
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
        // Its own message would print the URL, and with it a password.
        Err(VarError::NotUnicode(_)) => return Err(format!("{URL} is not valid Unicode").into()),
    };
    Ok(Some(Target { name: "Redis", description, limiter, _server: server }))
}

/// A failure is counted as one: nothing is decided here instead.
async fn connect(url: &str) -> Result<RateLimiter, ratelimit::Error> {
    RateLimiter::builder().redis(url).on_error(OnError::Deny).deadline(Duration::from_secs(1)).build().await
}
