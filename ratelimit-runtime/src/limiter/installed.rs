//! The limiter of the process: the installed limiter, or the default limiter, which is built from environment variables.

use super::RateLimiter;
use super::off::{OFF, is_off_by_environment};
use crate::error::{Error, ErrorKind, stray_end};
use crate::proxies::Networks;
use crate::store::redis::RedisStore;
use once_cell::sync::OnceCell;
use std::ffi::OsString;

/// The environment variable with the URL of the default limiter's store.
pub(super) const URL: &str = "RATELIMIT_URL";
/// The environment variable with the trusted proxies of the default limiter, separated by commas.
pub(super) const TRUSTED_PROXIES: &str = "RATELIMIT_TRUSTED_PROXIES";

/// The environment variable with the prefix of limiters whose builder sets no prefix.
pub(super) const PREFIX: &str = "RATELIMIT_PREFIX";

/// The environment variable with the hash secret of limiters whose builder sets none.
const SECRET: &str = "RATELIMIT_HASH_SECRET";

static PROCESS: OnceCell<Process> = OnceCell::new();

struct Process {
    limiter: RateLimiter,
    /// The name of the limit whose call built the default limiter. `None` if the limiter was installed.
    built_by: Option<&'static str>,
}

/// Returns the installed limiter, or else the default limiter. If no call has built the default limiter yet, builds it. `name` is
/// the limit of the current call.
pub(super) fn installed_or_default(name: &'static str) -> Result<&'static RateLimiter, Error> {
    let process = PROCESS
        .get_or_try_init(|| from_environment().map(|limiter| Process { limiter, built_by: Some(name) }))?;
    Ok(&process.limiter)
}

fn from_environment() -> Result<RateLimiter, Error> {
    let (url, proxies, off) = (variable(URL)?, variable(TRUSTED_PROXIES)?, is_off_by_environment()?);
    let in_memory = url.is_none();
    let limiter = default_limiter(url, proxies.as_deref(), off)?;
    if off {
        tracing::warn!("rate limits are off, because {OFF} is set: every call passes");
    } else if in_memory {
        report_memory(!cfg!(debug_assertions));
    }
    Ok(limiter)
}

/// Logs that nobody has chosen a store. In a release build, this is probably a mistake of the deployment.
fn report_memory(is_release: bool) {
    const WHY: &str = "no limiter is installed and RATELIMIT_URL is not set; rate limits are kept in memory and apply only to this \
                       process";
    if is_release {
        tracing::error!("{WHY}; if that is right, install `RateLimiter::in_memory()`");
    } else {
        tracing::warn!("{WHY}");
    }
}

/// Returns the value of an environment variable. An empty value is an error, because it may be a mistake of the deployment.
pub(super) fn variable(name: &str) -> Result<Option<String>, Error> {
    match std::env::var_os(name).map(OsString::into_string) {
        None => Ok(None),
        Some(Ok(value)) if !value.is_empty() => Ok(Some(value)),
        Some(Ok(_)) => Err(wrong(name, "it is empty; remove the variable, or give it a value")),
        Some(Err(_)) => Err(wrong(name, "it is not valid UTF-8")),
    }
}

/// Returns the hash secret in the environment. A line break at its end would silently make it another secret.
pub(super) fn secret_of_environment() -> Result<Option<Vec<u8>>, Error> {
    let Some(value) = std::env::var_os(SECRET) else { return Ok(None) };
    if value.is_empty() {
        return Err(wrong(SECRET, "it is empty; remove the variable, or give it a value"));
    }
    if let Some(stray) = stray_end(&value.to_string_lossy()) {
        return Err(wrong(SECRET, &format!("{stray}; remove it")));
    }
    Ok(Some(value.into_encoded_bytes()))
}

fn wrong(name: &str, why: &str) -> Error {
    Error::new(ErrorKind::Configuration, format!("{name}: {why}"))
}

/// Builds the default limiter from these values of [`URL`] and [`TRUSTED_PROXIES`].
fn default_limiter(url: Option<String>, proxies: Option<&str>, off: bool) -> Result<RateLimiter, Error> {
    let with_variable = |name: &str, error: &Error| Error::new(error.kind(), format!("{name}: {error}"));
    let mut builder = RateLimiter::builder();
    if off {
        builder = builder.off();
    }
    if let Some(proxies) = proxies {
        let proxies: Vec<&str> = proxies.split(',').collect();
        Networks::parse(&proxies).map_err(|error| with_variable(TRUSTED_PROXIES, &error))?;
        builder = builder.trusted_proxies(proxies);
    }
    if let Some(url) = url {
        RedisStore::new(&url).map_err(|error| with_variable(URL, &error))?;
        builder = builder.redis(url);
    }
    builder.assemble().map(|(limiter, _)| limiter)
}

/// Installs `limiter` as the limiter of all attributes in this process. Call it once, before the first limited call.
///
/// # Errors
///
/// If a limiter is already installed, or an earlier limited call has built the default limiter.
///
/// # Example
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use ratelimit::RateLimiter;
///
/// ratelimit::install(RateLimiter::in_memory())?; // or a limiter on Redis
/// assert!(ratelimit::install(RateLimiter::in_memory()).is_err());
/// # Ok(()) }
/// ```
pub fn install(limiter: RateLimiter) -> Result<(), Error> {
    PROCESS.set(Process { limiter, built_by: None }).map_err(|_| {
        let message = match PROCESS.get().and_then(|process| process.built_by) {
            Some(name) => format!(
                "the first call of the limit `{name}` has already built the default limiter; call `install` before any limited call"
            ),
            None => "a limiter is already installed; install one per process, or use `ratelimit::scope`".into(),
        };
        Error::new(ErrorKind::Configuration, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::RequestHeaders;
    use std::net::IpAddr;

    struct From(&'static str);

    impl RequestHeaders for From {
        fn header_lines<'a>(&'a self, name: &str, line: &mut dyn FnMut(&'a [u8])) {
            if name == "x-forwarded-for" {
                line(self.0.as_bytes());
            }
        }
    }

    #[test]
    fn the_environment_names_trusted_proxies() {
        let client = |proxies, peer: &str| {
            let peer: IpAddr = peer.parse().unwrap();
            default_limiter(None, proxies, false)
                .unwrap()
                .client_ip(peer, &From("203.0.113.7"))
                .unwrap()
                .to_string()
        };
        assert_eq!(client(None, "10.0.0.1"), "10.0.0.1");
        assert_eq!(client(Some("10.0.0.1"), "10.0.0.1"), "203.0.113.7");
        assert_eq!(client(Some("192.0.2.0/24, 10.0.0.0/8"), "10.0.0.1"), "203.0.113.7");
        assert_eq!(client(Some("192.0.2.0/24, unix"), "10.0.0.1"), "10.0.0.1");
    }

    #[test]
    fn errors_name_the_variable() {
        let error = |url: Option<&str>, proxies| {
            let error = default_limiter(url.map(str::to_owned), proxies, false).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Configuration);
            error.to_string()
        };
        for proxies in ["", "10.0.0.1,", "10.0.0.1;10.0.0.2", "0.0.0.0/0", "10.0.0.1/8"] {
            let said = error(None, Some(proxies));
            assert!(said.starts_with("RATELIMIT_TRUSTED_PROXIES: "), "{said}");
        }
        assert!(error(Some("http://localhost"), Some("10.0.0.1")).starts_with("RATELIMIT_URL: "));
    }
}
