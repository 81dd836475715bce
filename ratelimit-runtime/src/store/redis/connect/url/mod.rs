//! Reads the URL of a store: one server, a primary that sentinels monitor, or the nodes of a cluster.

mod parts;

use super::connector::{Connector, Sentinels};
use super::dial::Role;
use super::endpoint::{AddressMap, Endpoint, Location, Origin};
use super::tls::Tls;
use crate::error::{Error, ErrorKind, stray_end, unseen};
use parts::Parts;
use redis::RedisConnectionInfo;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// The servers that a URL names.
pub(crate) enum Target {
    /// One server, or the primary that sentinels monitor.
    Server(Connector),
    /// Some of the nodes of a cluster.
    Cluster(Vec<Endpoint>),
}

const DEFAULT_PORT: u16 = 6379;
const DEFAULT_SENTINEL_PORT: u16 = 26379;

impl Target {
    /// Reads a URL.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Configuration`]. The message contains no part of a password.
    pub(crate) fn parse(url: &str) -> Result<Self, Error> {
        let (prefix, rest) = url.split_once("://").unwrap_or(("", url));
        // Only for the form in the message, because an invisible character in front of the scheme is an error.
        let prefix = prefix.trim_start();
        let known = Scheme::parse(prefix);
        let (scheme, encrypted) = known.unwrap_or((Scheme::Server, false));
        let target = if let Some(why) = invisible(url) {
            Err(why)
        } else if known.is_some() {
            Parts::split(scheme, encrypted, rest, url)
                .and_then(|parts| Self::from_parts(&parts, scheme, encrypted))
        } else {
            Err(unknown_scheme(url, prefix).to_owned())
        };
        target.map_err(|why| {
            let shown = shown_host(url).map(|host| format!(" at `{host}`")).unwrap_or_default();
            let form = scheme.form().replacen("redis", if encrypted { "rediss" } else { "redis" }, 1);
            Error::new(
                ErrorKind::Configuration,
                format!("cannot use the URL of the store{shown}: {why}; write `{form}`"),
            )
        })
    }

    /// Lets `map` choose the addresses at which the servers are reached that sentinels or nodes of a cluster announce.
    pub(crate) fn with_map(mut self, map: Option<&AddressMap>) -> Self {
        let map = map.cloned();
        match &mut self {
            Self::Server(Connector::Sentinels(sentinels)) => sentinels.primary.map = map,
            Self::Server(_) => {}
            Self::Cluster(nodes) => nodes.iter_mut().for_each(|node| node.map.clone_from(&map)),
        }
        self
    }

    fn from_parts(parts: &Parts<'_>, scheme: Scheme, encrypted: bool) -> Result<Self, String> {
        let server = |endpoint| Self::Server(Connector::Server(endpoint, Role::Primary));
        let tls = parts.tls(encrypted)?;
        match scheme {
            Scheme::Socket => parts.socket().map(server),
            Scheme::Server if parts.hosts.len() > 1 => {
                Err("several hosts need `redis+cluster` or `redis+sentinel`".to_owned())
            }
            Scheme::Server => {
                let database = parts.database(0)?;
                parts.server(parts.hosts[0], DEFAULT_PORT, database, tls).map(server)
            }
            Scheme::Cluster if parts.database(0)? != 0 => Err("a cluster has only database 0".to_owned()),
            Scheme::Cluster => {
                let nodes = parts.hosts.iter().map(|host| parts.server(host, DEFAULT_PORT, 0, tls.clone()));
                nodes.collect::<Result<_, _>>().map(Self::Cluster)
            }
            Scheme::Sentinel => {
                sentinels(parts, tls).map(|sentinels| Self::Server(Connector::Sentinels(sentinels)))
            }
        }
    }
}

fn sentinels(parts: &Parts<'_>, tls: Option<Arc<Tls>>) -> Result<Sentinels, String> {
    let is_name = |name: &&&str| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
    };
    let Some(name) = parts.path.first().filter(is_name) else {
        return Err("expected the name of the primary after the sentinels".to_owned());
    };
    let location = |host| Ok(parts.server(host, DEFAULT_SENTINEL_PORT, 0, None)?.location);
    let mut primary = parts.server(parts.hosts[0], DEFAULT_SENTINEL_PORT, parts.database(1)?, tls)?;
    primary.location = Location::Primary((*name).to_owned());
    primary.origin = Origin::Primary;
    let mut settings = RedisConnectionInfo::default();
    if let Some(user) = parts.parameter("sentinel_user") {
        settings = settings.set_username(user);
    }
    if let Some(password) = parts.parameter("sentinel_pass") {
        settings = settings.set_password(password);
    }
    let sentinel = |location| Endpoint {
        location,
        settings: settings.clone(),
        tls: primary.tls.clone(),
        origin: Origin::Sentinel,
        map: None,
    };
    let endpoints = parts.hosts.iter().map(|host| location(host).map(sentinel));
    let endpoints = endpoints.collect::<Result<_, String>>()?;
    Ok(Sentinels { endpoints, name: (*name).to_owned(), primary, first: AtomicUsize::new(0) })
}

/// Says which character of a URL nobody sees. A parser drops line breaks and tabs, also those in a password.
fn invisible(url: &str) -> Option<String> {
    let inside = || unseen(url).map(|what| format!("it contains {what}; remove it, or percent-encode it"));
    stray_end(url).map(|stray| format!("{stray}; remove it, for example with `.trim()`")).or_else(inside)
}

const fn unknown_scheme(url: &str, prefix: &str) -> &'static str {
    match (url.is_empty(), prefix.is_empty()) {
        (true, _) => "it is empty",
        (false, true) => "it has no scheme",
        _ => {
            "unknown scheme; expected `redis`, `redis+unix`, `redis+sentinel` or `redis+cluster` (`rediss` for TLS)"
        }
    }
}

/// Returns the host and port of a malformed URL, if they certainly contain no part of a password.
fn shown_host(url: &str) -> Option<&str> {
    // After a `?` or a `#`, an `@` and the text behind it may belong to a password, so no host is shown.
    let (_, host) = url.rsplit_once('@').filter(|(before, _)| !before.contains(['?', '#']))?;
    let host = host.split(['/', '?', '#']).next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']' | ',');
    (!host.is_empty() && host.chars().all(plain)).then_some(host)
}

/// The kind of a URL, which is the part of its scheme after `redis`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    Server,
    Socket,
    Sentinel,
    Cluster,
}

impl Scheme {
    /// Reads a scheme. Also returns whether it requires TLS.
    pub(super) fn parse(scheme: &str) -> Option<(Self, bool)> {
        let (base, shape) = match scheme.split_once('+') {
            None if scheme == "unix" => return Some((Self::Socket, false)),
            None => (scheme, Self::Server),
            Some((base, "unix")) => (base, Self::Socket),
            Some((base, "sentinel")) => (base, Self::Sentinel),
            Some((base, "cluster")) => (base, Self::Cluster),
            Some(_) => return None,
        };
        match base {
            "redis" | "valkey" => Some((shape, false)),
            "rediss" | "valkeys" if shape != Self::Socket => Some((shape, true)),
            _ => None,
        }
    }

    /// Returns the form of the URL, for messages.
    pub(super) const fn form(self) -> &'static str {
        match self {
            Self::Server => "redis://[user:password@]host[:port][/database]",
            Self::Socket => "redis+unix:///path/to/socket[?db=n&user=..&pass=..]",
            Self::Sentinel => "redis+sentinel://[user:password@]host[:port],host[:port]/name[/database]",
            Self::Cluster => "redis+cluster://[user:password@]host[:port],host[:port]",
        }
    }

    /// Returns the names of the parameters after `?`, without the parameters for TLS.
    pub(super) const fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Socket => &["db", "user", "pass", "protocol"],
            Self::Sentinel => &["protocol", "sentinel_user", "sentinel_pass"],
            Self::Server | Self::Cluster => &["protocol"],
        }
    }
}

#[cfg(test)]
mod tests;
