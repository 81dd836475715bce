//! What a URL says: one server, a primary that sentinels know, or the nodes of a cluster.

use crate::error::{Error, ErrorKind};
use crate::store::redis::connect::endpoint::{Address, Place};
use crate::store::redis::connect::tls::{Files, Tls};
use redis::{ConnectionAddr, IntoConnectionInfo};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The servers of a store.
#[derive(Debug)]
pub(crate) enum Target {
    Server(Address),
    /// The primary of this name, which these servers know. The settings of `primary` are for the primary.
    Sentinel {
        sentinels: Vec<Address>,
        name: String,
        primary: Address,
    },
    /// Some nodes of it.
    Cluster(Vec<Address>),
}

/// What a scheme asks for, beside encryption.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Server,
    Socket,
    Sentinel,
    Cluster,
}

impl Shape {
    const fn written(self) -> &'static str {
        match self {
            Self::Server => "redis://[user:password@]host[:port][/database]",
            Self::Socket => "redis+unix:///path/to/socket[?db=n&user=..&pass=..]",
            Self::Sentinel => "redis+sentinel://[user:password@]host[:port],host[:port]/name[/database]",
            Self::Cluster => "redis+cluster://[user:password@]host[:port],host[:port]",
        }
    }

    const fn parameters(self, encrypted: bool) -> &'static [&'static str] {
        match (self, encrypted) {
            (Self::Socket, _) => &["db", "user", "pass", "protocol"],
            (Self::Sentinel, true) => {
                &["protocol", "sentinel_user", "sentinel_pass", "tls_ca", "tls_cert", "tls_key"]
            }
            (Self::Sentinel, false) => &["protocol", "sentinel_user", "sentinel_pass"],
            (_, true) => &["protocol", "tls_ca", "tls_cert", "tls_key"],
            (_, false) => &["protocol"],
        }
    }
}

impl Target {
    /// # Errors
    ///
    /// [`ErrorKind::Configuration`], with a message that holds no password.
    pub(crate) fn parse(url: &str) -> Result<Self, Error> {
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let known = known(scheme);
        let (shape, encrypted) = known.unwrap_or((Shape::Server, false));
        Parts::split(known, scheme, rest, url).and_then(|parts| parts.target(shape, encrypted)).map_err(
            |why| {
                let shown = shown(url).map(|host| format!(" at `{host}`")).unwrap_or_default();
                let written =
                    shape.written().replacen("redis", if encrypted { "rediss" } else { "redis" }, 1);
                Error::new(
                    ErrorKind::Configuration,
                    format!("cannot use the URL of the store{shown}: {why}; write `{written}`"),
                )
            },
        )
    }
}

fn known(scheme: &str) -> Option<(Shape, bool)> {
    let (base, shape) = match scheme.split_once('+') {
        None if scheme == "unix" => return Some((Shape::Socket, false)),
        None => (scheme, Shape::Server),
        Some((base, "unix")) => (base, Shape::Socket),
        Some((base, "sentinel")) => (base, Shape::Sentinel),
        Some((base, "cluster")) => (base, Shape::Cluster),
        Some(_) => return None,
    };
    match base {
        "redis" | "valkey" => Some((shape, false)),
        "rediss" | "valkeys" if shape != Shape::Socket => Some((shape, true)),
        _ => None,
    }
}

/// A URL in pieces, still encoded.
struct Parts<'u> {
    /// With its `@`.
    credentials: &'u str,
    hosts: Vec<&'u str>,
    path: Vec<&'u str>,
    parameters: BTreeMap<String, String>,
    whole: &'u str,
}

impl<'u> Parts<'u> {
    fn split(
        known: Option<(Shape, bool)>,
        scheme: &str,
        rest: &'u str,
        whole: &'u str,
    ) -> Result<Self, String> {
        let Some((shape, encrypted)) = known else {
            return Err(match (whole.is_empty(), scheme.is_empty()) {
                (true, _) => "it is empty",
                (false, true) => "it has no scheme",
                _ => {
                    "its scheme is none of `redis`, `redis+unix`, `redis+sentinel`, `redis+cluster` (`rediss` for TLS)"
                }
            }
            .to_owned());
        };
        let misread = |(credentials, _): (&str, &str)| credentials.contains(['/', '?', '#']);
        if shape != Shape::Socket && (rest.rsplit_once('@').is_some_and(misread) || rest.contains('#')) {
            // A parser takes these for the end of the host, and a part of the password for the port.
            return Err("in a password, `/`, `?`, `#` and `@` have to be percent-encoded (`%2F`, `%3F`, `%23`, `%40`)"
                .to_owned());
        }
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let at = authority.rfind('@').map_or(0, |at| at + 1);
        let (credentials, hosts) = authority.split_at(at);
        let mut parameters = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let taken = shape.parameters(encrypted);
            if name.starts_with("tls_") && !encrypted {
                return Err("its parameters for TLS need `rediss`".to_owned());
            }
            if !taken.contains(&&*name) {
                return Err(format!("it has an unknown parameter; it may have `{}`", taken.join("`, `")));
            }
            if parameters.insert(name.clone().into_owned(), value.into_owned()).is_some() {
                return Err(format!("it has `{name}` twice"));
            }
        }
        let path = path.split('/').filter(|part| !part.is_empty()).collect();
        Ok(Self { credentials, hosts: hosts.split(',').collect(), path, parameters, whole })
    }

    fn target(&self, shape: Shape, encrypted: bool) -> Result<Target, String> {
        match shape {
            Shape::Socket => self.socket().map(Target::Server),
            Shape::Server if self.hosts.len() > 1 => {
                Err("it names several hosts: that is for `redis+cluster` and `redis+sentinel`".to_owned())
            }
            Shape::Server => {
                let tls = self.tls(encrypted)?;
                Ok(Target::Server(self.server(self.hosts[0], 6379, self.database(0)?, tls)?))
            }
            Shape::Cluster if self.database(0)? != 0 => Err("a cluster has only database 0".to_owned()),
            Shape::Cluster => {
                let tls = self.tls(encrypted)?;
                let nodes = self.hosts.iter().map(|host| self.server(host, 6379, 0, tls.clone()));
                Ok(Target::Cluster(nodes.collect::<Result<_, _>>()?))
            }
            Shape::Sentinel => self.sentinel(encrypted),
        }
    }

    fn sentinel(&self, encrypted: bool) -> Result<Target, String> {
        let allowed = |name: &&&str| {
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
        };
        let Some(name) = self.path.first().filter(allowed) else {
            return Err("after the sentinels it has to name the primary that they watch".to_owned());
        };
        let tls = self.tls(encrypted)?;
        let primary = self.server(self.hosts[0], 26379, self.database(1)?, tls)?;
        let primary = Address { place: Place::Primary((*name).to_owned()), ..primary };
        let mut sentinel = Address { settings: redis::RedisConnectionInfo::default(), ..primary.clone() };
        if let Some(user) = self.parameters.get("sentinel_user") {
            sentinel.settings = sentinel.settings.set_username(user);
        }
        if let Some(password) = self.parameters.get("sentinel_pass") {
            sentinel.settings = sentinel.settings.set_password(password);
        }
        let at = |host: &&str| {
            let place = self.server(host, 26379, 0, None)?.place;
            Ok(Address { place, ..sentinel.clone() })
        };
        let sentinels = self.hosts.iter().map(at).collect::<Result<_, String>>()?;
        Ok(Target::Sentinel { sentinels, name: (*name).to_owned(), primary })
    }

    fn database(&self, at: usize) -> Result<i64, String> {
        match self.path.get(at..).unwrap_or_default() {
            [] => Ok(0),
            [database] => database.parse().ok().filter(|database| *database >= 0).ok_or(()),
            _ => Err(()),
        }
        .map_err(|()| "the last part of its path is no database number".to_owned())
    }

    /// The words of the library may quote the URL: they are not passed on.
    fn server(&self, host: &str, port: u16, database: i64, tls: Option<Arc<Tls>>) -> Result<Address, String> {
        let malformed = || "it is malformed".to_owned();
        // The parser knows a default port of its own.
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']'));
        let port = if has_port { String::new() } else { format!(":{port}") };
        let url = format!("redis://{}{host}{port}/{database}", self.credentials);
        let info = url.into_connection_info().map_err(|_| malformed())?;
        let ConnectionAddr::Tcp(host, port) = info.addr() else { return Err(malformed()) };
        let settings = match self.parameters.get("protocol").map(String::as_str) {
            None | Some("2" | "resp2") => info.redis_settings().clone(),
            Some("3" | "resp3") => info.redis_settings().clone().set_protocol(redis::ProtocolVersion::RESP3),
            Some(_) => return Err("its `protocol` is neither `resp2` nor `resp3`".to_owned()),
        };
        Ok(Address { place: Place::Tcp(host.clone(), *port), settings, tls })
    }

    fn socket(&self) -> Result<Address, String> {
        let malformed = || "it is malformed".to_owned();
        let info =
            self.whole.replacen("valkey+unix", "unix", 1).into_connection_info().map_err(|_| malformed())?;
        let ConnectionAddr::Unix(path) = info.addr() else { return Err(malformed()) };
        Ok(Address { place: Place::Unix(path.clone()), settings: info.redis_settings().clone(), tls: None })
    }

    fn tls(&self, encrypted: bool) -> Result<Option<Arc<Tls>>, String> {
        let named = |name: &str| self.parameters.get(name).map(String::as_str);
        let files =
            Files { authorities: named("tls_ca"), certificate: named("tls_cert"), key: named("tls_key") };
        encrypted.then(|| Tls::new(&files).map(Arc::new)).transpose()
    }
}

/// The host and port of a URL, however malformed, if it is certain that no part of a password is among them.
fn shown(url: &str) -> Option<&str> {
    // An `@` after a `?` or a `#` may be one of a password, and what follows it too.
    let (_, host) = url.rsplit_once('@').filter(|(before, _)| !before.contains(['?', '#']))?;
    let host = host.split(['/', '?', '#']).next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']' | ',');
    (!host.is_empty() && host.chars().all(plain)).then_some(host)
}

#[cfg(test)]
mod tests;
