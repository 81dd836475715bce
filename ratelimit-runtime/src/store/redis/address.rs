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
            let shown = without_credentials(url);
            Err(Error::new(
                ErrorKind::Configuration,
                format!(
                    "cannot use `{shown}` as the URL of a store: {why}; write `redis://[user:password@]host[:port][/database]`"
                ),
            ))
        };
        let scheme = url.split_once("://").map(|(scheme, _)| scheme);
        match scheme {
            None => return refused("it has no scheme"),
            Some("redis" | "valkey" | "unix" | "redis+unix") => {}
            Some("rediss" | "valkeys") => return refused("TLS is not built in"),
            Some(_) => return refused("its scheme is not `redis` or `unix`"),
        }
        match url.into_connection_info() {
            Ok(info) => Ok(Self(info)),
            // The words of the library may quote the URL.
            Err(_) => refused("it is malformed"),
        }
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

/// A URL, however malformed, without anything that may be a password: what stands before the last `@`, and what
/// stands in the query.
fn without_credentials(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = url
        .split_once("://")
        .map_or(("", url), |(scheme, rest)| (scheme, rest));
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let separator = if scheme.is_empty() { "" } else { "://" };
    format!("{scheme}{separator}{host}")
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
            "http://user:sesame@localhost",
            "rediss://:sesame@localhost",
            "redis://:sesame@localhost:port",
            "redis://:ses@me:sesame@:99999",
            "user:sesame@localhost",
            "redis://localhost/sesame?password=sesame",
        ] {
            let message = Address::parse(url)
                .err()
                .unwrap_or_else(|| panic!("{url} was taken"))
                .to_string();
            let shown = message.replace("host/sesame`", "host`"); // a database of that name is no password
            assert!(!shown.contains("sesame"), "{message}");
            assert!(message.contains("redis://[user:password@]host"), "{message}");
        }
    }
}
