//! Where the server is, readable without its password.

use crate::error::{Error, ErrorKind};
use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo, RedisConnectionInfo};
use std::fmt;

/// A parsed URL. Shown as `host:port` or the path of the socket.
#[derive(Clone)]
pub(super) struct Address(ConnectionInfo);

impl Address {
    pub(super) fn parse(url: &str) -> Result<Self, Error> {
        let refused = |why: &str| {
            let shown = shown(url).map(|host| format!(" at `{host}`")).unwrap_or_default();
            Err(Error::new(
                ErrorKind::Configuration,
                format!(
                    "cannot use the URL of the store{shown}: {why}; write `redis://[user:password@]host[:port][/database]`"
                ),
            ))
        };
        let Some((scheme, rest)) = url.split_once("://") else {
            return refused(if url.is_empty() { "it is empty" } else { "it has no scheme" });
        };
        match scheme {
            "redis" | "valkey" => {}
            "unix" | "redis+unix" => {
                return Self::parse_checked(url).map_or_else(|()| refused("it is malformed"), Ok);
            }
            "rediss" | "valkeys" => return refused("TLS is not built in"),
            _ => return refused("its scheme is not `redis` or `unix`"),
        }
        // A parser takes these for the end of the host, and a part of the password for the port.
        if rest.rsplit_once('@').is_some_and(|(credentials, _)| credentials.contains(['/', '?', '#']))
            || rest.contains('#')
        {
            return refused(
                "in a password, `/`, `?`, `#` and `@` have to be percent-encoded (`%2F`, `%3F`, `%23`, `%40`)",
            );
        }
        Self::parse_checked(url).map_or_else(|()| refused("it is malformed"), Ok)
    }

    /// The words of the library may quote the URL: they are not passed on.
    fn parse_checked(url: &str) -> Result<Self, ()> {
        url.into_connection_info().map(Self).map_err(|_| ())
    }

    pub(super) fn connection_addr(&self) -> &ConnectionAddr {
        self.0.addr()
    }

    pub(super) fn settings(&self) -> &RedisConnectionInfo {
        self.0.redis_settings()
    }

    pub(super) fn error(&self, kind: ErrorKind, before: &str, after: impl fmt::Display) -> Error {
        Error::new(kind, format!("{before} Redis at {self}: {after}"))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.addr().fmt(f)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The host and port of a URL, however malformed, if it is certain that no part of a password is among them.
fn shown(url: &str) -> Option<&str> {
    let (_, host) = url.rsplit_once('@')?;
    let host = host.split(['/', '?', '#']).next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    (!host.is_empty() && host.chars().all(plain)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address = Address::parse("redis://user:sesame@localhost:7000/2").unwrap();
        assert_eq!(address.to_string(), "localhost:7000");
        assert_eq!(format!("{address:?}"), "localhost:7000");
    }

    #[test]
    fn a_malformed_url_is_refused_without_its_password() {
        for url in [
            "",
            "localhost",
            "sesame",
            "http://user:sesame@localhost",
            "rediss://:sesame@localhost",
            "redis://:sesame",
            "redis://:sesame@localhost:port",
            "redis://:ses@me:sesame@:99999",
            "user:sesame@localhost",
            "redis://:sesame#1@localhost:1",
            "redis://ann:sesame?1@localhost",
            "redis://ann:12#sesame@localhost",
            "redis://ann:12?sesame@localhost",
            "redis://ann:12/sesame@localhost",
        ] {
            let message = Address::parse(url).err().unwrap_or_else(|| panic!("{url} was taken")).to_string();
            assert!(!message.contains("sesame") && !message.contains("12"), "{url}: {message}");
            assert!(message.contains("redis://[user:password@]host"), "{message}");
        }
        let message = Address::parse("redis://:sesame@cache.internal:port").err().unwrap().to_string();
        assert!(message.contains("at `cache.internal:port`: it is malformed"), "{message}");
    }

    #[test]
    fn a_socket_is_an_address() {
        let address = Address::parse("unix:///run/redis.sock?db=2&pass=sesame").unwrap();
        assert_eq!(address.to_string(), "/run/redis.sock");
    }
}
