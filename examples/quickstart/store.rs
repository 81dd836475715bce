//! Where the limits are kept: in Redis if the environment names one, else in the memory of this process.

use ratelimit::{OnError, RateLimiter};
use std::env::{self, VarError};
use std::error::Error;
use std::time::Duration;

/// The environment variable that names a Redis server.
const URL: &str = "RATELIMIT_URL";

/// The limiter that all attributes of this process use, and where its limits are kept, for people.
pub(crate) struct Installed {
    pub(crate) limiter: RateLimiter,
    pub(crate) place: String,
}

/// Connects before the first request, so that a wrong URL ends the program here and not in a handler.
pub(crate) async fn install() -> Result<Installed, Box<dyn Error>> {
    let installed = match env::var(URL) {
        Ok(url) => Installed {
            limiter: redis(&url).await.map_err(|error| format!("{URL}: {error}"))?,
            place: format!("{}, shared by all processes", redis_place(&url)),
        },
        Err(VarError::NotPresent) => Installed {
            limiter: RateLimiter::in_memory(),
            place: "the embedded memory store, for this process alone".to_owned(),
        },
        // Its own message would print the URL, and with it a password.
        Err(VarError::NotUnicode(_)) => return Err(format!("{URL} is not valid Unicode").into()),
    };
    ratelimit::install(installed.limiter.clone())?;
    Ok(installed)
}

/// The table is to show what Redis has decided, or that it could not: nothing is decided here instead, and a slow
/// machine has time.
async fn redis(url: &str) -> Result<RateLimiter, ratelimit::Error> {
    RateLimiter::builder().redis(url).on_error(OnError::Deny).deadline(Duration::from_secs(1)).build().await
}

/// Without the password. A socket's path, or a URL that only Redis can read, is not shown at all.
fn redis_place(url: &str) -> String {
    let uri = url.parse::<hyper::Uri>().ok();
    match uri.as_ref().and_then(|uri| Some((uri.host()?, uri.port_u16()))) {
        Some((host, port)) => format!("Redis at {host}:{}", port.unwrap_or(6379)),
        None => format!("the Redis of {URL}"),
    }
}

#[cfg(test)]
mod tests {
    use super::redis_place;

    #[test]
    fn the_place_is_shown_without_what_may_be_secret() {
        for (url, place) in [
            ("redis://localhost", "Redis at localhost:6379"),
            ("redis://ann:sesame@10.0.0.7:7000/2", "Redis at 10.0.0.7:7000"),
            ("redis://:sesame@[::1]:7000", "Redis at [::1]:7000"),
            ("redis://:ses%40me@localhost/", "Redis at localhost:6379"),
            ("redis://:ses me@localhost/", "the Redis of RATELIMIT_URL"),
            ("unix:///run/redis.sock?pass=sesame", "the Redis of RATELIMIT_URL"),
        ] {
            assert_eq!(redis_place(url), place, "{url}");
        }
    }
}
