//! Where a server is, and how one is let in; readable without the password.

use crate::error::{Error, ErrorKind};
use crate::store::redis::connect::tls::Tls;
use redis::RedisConnectionInfo;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// One server. Shown as `host:port`, or what else it is known by.
#[derive(Clone)]
pub(crate) struct Address {
    pub(crate) place: Place,
    pub(crate) settings: RedisConnectionInfo,
    /// Present where the connection is encrypted.
    pub(crate) tls: Option<Arc<Tls>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    Tcp(String, u16),
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no such sockets"))]
    Unix(PathBuf),
    /// What sentinels know by this name.
    Primary(String),
    /// Somewhere that only the connection knows which was handed in.
    Handed,
}

impl Address {
    pub(crate) fn handed() -> Self {
        Self { place: Place::Handed, settings: RedisConnectionInfo::default(), tls: None }
    }

    /// Another server, which is spoken to in the same way.
    pub(crate) fn at(&self, host: &str, port: u16) -> Self {
        Self { place: Place::Tcp(host.to_owned(), port), ..self.clone() }
    }

    pub(crate) fn error(&self, kind: ErrorKind, before: &str, after: impl fmt::Display) -> Error {
        let at = match &self.place {
            Place::Handed => "",
            _ => " at ",
        };
        Error::new(kind, format!("{before} Redis{at}{self}: {after}"))
    }
}

/// Whether a name that a server gives has only the characters of a host name or an address. Errors show it.
pub(crate) fn is_host(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':');
    (1..=253).contains(&name.len()) && name.bytes().all(is_plain)
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Tcp(host, port) if host.contains(':') => write!(f, "[{host}]:{port}"),
            Place::Tcp(host, port) => write!(f, "{host}:{port}"),
            Place::Unix(path) => path.display().fmt(f),
            Place::Primary(name) => write!(f, "the primary `{name}`"),
            Place::Handed => f.write_str(" through the connection that was handed in"),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
