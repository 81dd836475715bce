//! The endpoint of a server: its location, and the credentials for it. Its text form contains no password.

use super::tls::Tls;
use crate::error::{Error, ErrorKind};
use crate::store::redis::errors::{Problem, io_text};
use redis::{RedisConnectionInfo, RedisError};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// One server. Its text form is `host:port`, the path of a socket, or the name of a primary.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) location: Location,
    /// User, password, database and protocol version.
    pub(super) settings: RedisConnectionInfo,
    /// Present if the connection is encrypted.
    pub(super) tls: Option<Arc<Tls>>,
    pub(super) origin: Origin,
    /// Where announced servers are reached.
    pub(super) map: Option<AddressMap>,
}

/// Returns the address at which this process reaches the server that is announced with a host and a port.
pub(crate) type AddressMap = Arc<dyn Fn(&str, u16) -> (String, u16) + Send + Sync>;

/// Who has named a server. An error says it, because the remedy is elsewhere.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Url,
    /// The URL names it as a sentinel.
    Sentinel,
    /// The sentinels know it as the primary.
    Primary,
    /// A node of a cluster has announced it.
    Cluster,
}

/// The location of a server.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Location {
    Tcp(String, u16),
    #[cfg_attr(not(unix), expect(dead_code, reason = "this system has no Unix sockets"))]
    Unix(PathBuf),
    /// The primary that sentinels know by this name.
    Primary(String),
    /// Not known, because the application has opened the connection.
    Given,
}

impl Endpoint {
    /// Returns the endpoint of a connection that the application has opened.
    pub(crate) fn given() -> Self {
        Self {
            location: Location::Given,
            settings: RedisConnectionInfo::default(),
            tls: None,
            origin: Origin::Url,
            map: None,
        }
    }

    #[cfg(test)]
    pub(crate) fn mapped(self, map: impl Fn(&str, u16) -> (String, u16) + Send + Sync + 'static) -> Self {
        Self { map: Some(Arc::new(map)), ..self }
    }

    /// Returns the endpoint of another server with the same settings, which a sentinel or a node of a cluster has announced.
    pub(crate) fn announced(&self, host: &str, port: u16) -> Self {
        let (host, port) = match &self.map {
            Some(map) => map(host, port),
            None => (host.to_owned(), port),
        };
        let origin = if self.origin == Origin::Primary { Origin::Primary } else { Origin::Cluster };
        Self { location: Location::Tcp(host, port), origin, ..self.clone() }
    }

    /// Creates the error "`what` Redis at `endpoint`: `why`".
    pub(crate) fn error(&self, kind: ErrorKind, what: &str, why: impl fmt::Display) -> Error {
        Error::of_server(kind, format!("{what} {}: {why}", self.server()))
    }

    /// Creates the error of a problem with this server.
    pub(crate) fn problem(&self, problem: &Problem) -> Error {
        let why =
            if self.origin == Origin::Sentinel && problem.is_login() { SENTINEL_LOGIN } else { &problem.why };
        self.error(problem.kind, problem.what, why)
    }

    /// Creates the error of a server to which no connection can be opened.
    pub(crate) fn unreachable(&self, error: &io::Error) -> Error {
        self.error(ErrorKind::Unavailable, "cannot connect to", io_text(error) + self.advice())
    }

    /// Returns what to do if the server cannot be reached because its address is wrong.
    fn advice(&self) -> &'static str {
        match self.origin {
            Origin::Url | Origin::Sentinel => "",
            Origin::Primary => {
                "; if this process cannot reach that address, let the server announce another one (`replica-announce-ip`), or set \
                 `map_addresses` on the limiter's builder"
            }
            Origin::Cluster => {
                "; if this process cannot reach that address, let the node announce another one (`cluster-announce-ip`), or set \
                 `map_addresses` on the limiter's builder"
            }
        }
    }

    /// Creates the error of a reply or a connection that has failed.
    pub(crate) fn explain(&self, error: &RedisError) -> Error {
        self.problem(&Problem::of(error))
    }

    /// Creates the error of a server that has not replied within a time.
    pub(crate) fn no_reply(&self, within: Duration) -> Error {
        let within = format!("{within:?}");
        let unit = within.find(char::is_alphabetic).unwrap_or(within.len());
        let (number, unit) = within.split_at(unit);
        let (server, advice) = (self.server(), self.advice());
        Error::new(ErrorKind::Unavailable, format!("{server} did not reply within {number} {unit}{advice}"))
    }

    fn server(&self) -> String {
        match &self.location {
            Location::Given => "Redis (on the connection of the application)".to_owned(),
            Location::Tcp(..) if self.origin == Origin::Primary => {
                format!("Redis at {self}, the primary that a sentinel named")
            }
            Location::Tcp(..) if self.origin == Origin::Cluster => {
                format!("Redis at {self}, which the cluster announces")
            }
            _ if self.origin == Origin::Sentinel => format!("the sentinel at {self}"),
            _ => format!("Redis at {self}"),
        }
    }
}

const SENTINEL_LOGIN: &str = "the sentinels require a user or a password of their own, or others than the URL has; write them as \
    `?sentinel_pass=password`, or `?sentinel_user=user&sentinel_pass=password` (`user:password@` is for the primary)";

/// Returns whether a name that a server has sent contains only characters of a host name or an IP address. Only such a name may
/// be shown in errors.
pub(crate) fn is_host(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':');
    (1..=253).contains(&name.len()) && name.bytes().all(is_plain)
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Location::Tcp(host, port) if host.contains(':') => write!(f, "[{host}]:{port}"),
            Location::Tcp(host, port) => write!(f, "{host}:{port}"),
            Location::Unix(path) => path.display().fmt(f),
            Location::Primary(name) => write!(f, "the primary `{name}`"),
            Location::Given => f.write_str("the connection of the application"),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_server_and_the_time() {
        let server = Endpoint { location: Location::Tcp("::1".to_owned(), 7000), ..Endpoint::given() };
        let message = server.no_reply(Duration::from_micros(1500)).to_string();
        assert_eq!(message, "Redis at [::1]:7000 did not reply within 1.5 ms");
        let message = Endpoint::given().error(ErrorKind::Unavailable, "cannot use", "reason").to_string();
        assert_eq!(message, "cannot use Redis (on the connection of the application): reason");
    }
}
