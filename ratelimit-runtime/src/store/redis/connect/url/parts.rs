//! The parts of a URL, and the endpoints that they describe.

use super::super::endpoint::{Endpoint, Location, Origin};
use super::super::tls::Tls;
use super::Scheme;
use redis::{ConnectionAddr, IntoConnectionInfo};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The parts of a URL. Only the parameters are percent-decoded. All other parts are still percent-encoded.
pub(super) struct Parts<'u> {
    /// User and password with the final `@`, or an empty string.
    credentials: &'u str,
    pub(super) hosts: Vec<&'u str>,
    pub(super) path: Vec<&'u str>,
    parameters: BTreeMap<String, String>,
    url: &'u str,
}

impl<'u> Parts<'u> {
    /// Splits `rest`, the part of `url` after the scheme.
    ///
    /// # Errors
    ///
    /// Returns the reason, without any part of a password.
    pub(super) fn split(
        scheme: Scheme,
        encrypted: bool,
        rest: &'u str,
        url: &'u str,
    ) -> Result<Self, String> {
        let is_ambiguous = |(credentials, _): (&str, &str)| credentials.contains(['/', '?', '#']);
        if scheme != Scheme::Socket && (rest.rsplit_once('@').is_some_and(is_ambiguous) || rest.contains('#'))
        {
            // A parser would end the host at the first of these characters. The part of the password in front of it would then
            // count as the port, and be shown in errors.
            return Err(
                "`/`, `?`, `#` and `@` in a password must be percent-encoded (`%2F`, `%3F`, `%23`, `%40`)"
                    .to_owned(),
            );
        }
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let end = authority.rfind('@').map_or(0, |at| at + 1);
        let (credentials, hosts) = authority.split_at(end);
        let for_tls: &[&str] = if encrypted { &["tls_ca", "tls_cert", "tls_key"] } else { &[] };
        let known = [scheme.parameters(), for_tls].concat();
        let mut parameters = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if name.starts_with("tls_") && !encrypted {
                return Err("the parameters for TLS need `rediss`".to_owned());
            }
            if !known.contains(&&*name) {
                return Err(format!("unknown parameter; expected one of `{}`", known.join("`, `")));
            }
            if parameters.insert(name.clone().into_owned(), value.into_owned()).is_some() {
                return Err(format!("the parameter `{name}` is set twice"));
            }
        }
        let path = path.split('/').filter(|part| !part.is_empty()).collect();
        Ok(Self { credentials, hosts: hosts.split(',').collect(), path, parameters, url })
    }

    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    /// Reads the number of the database, which is the last part of the path, at the index `at`. Returns 0 if the path has no
    /// such part.
    pub(super) fn database(&self, at: usize) -> Result<i64, String> {
        match self.path.get(at..).unwrap_or_default() {
            [] => Ok(0),
            [database] => database.parse().ok().filter(|database| *database >= 0).ok_or(()),
            _ => Err(()),
        }
        .map_err(|()| "expected the number of a database at the end of the path".to_owned())
    }

    /// Reads the endpoint of a host. The errors of the parser may quote the URL, so they are not shown.
    pub(super) fn server(
        &self,
        host: &str,
        default_port: u16,
        database: i64,
        tls: Option<Arc<Tls>>,
    ) -> Result<Endpoint, String> {
        let malformed = || MALFORMED.to_owned();
        // If the URL has no port, this adds the default port, because the parser's default may be different.
        let given = host.rsplit_once(':').map(|(_, port)| port).filter(|port| !port.contains(']'));
        if given.is_some_and(|port| !port.is_empty() && port.parse::<u16>().is_err()) {
            return Err("the port is no number up to 65535 (a password goes before the host)".to_owned());
        }
        let port = if given.is_some() { String::new() } else { format!(":{default_port}") };
        let url = format!("redis://{}{host}{port}/{database}", self.credentials);
        let info = url.into_connection_info().map_err(|_| malformed())?;
        let ConnectionAddr::Tcp(host, port) = info.addr() else { return Err(malformed()) };
        let settings = match self.parameter("protocol") {
            None | Some("2" | "resp2") => info.redis_settings().clone(),
            Some("3" | "resp3") => info.redis_settings().clone().set_protocol(redis::ProtocolVersion::RESP3),
            Some(_) => return Err("unknown `protocol`; expected `resp2` or `resp3`".to_owned()),
        };
        Ok(Endpoint {
            location: Location::Tcp(host.clone(), *port),
            settings,
            tls,
            origin: Origin::Url,
            map: None,
        })
    }

    /// Reads the endpoint of a Unix socket.
    pub(super) fn socket(&self) -> Result<Endpoint, String> {
        let malformed = || MALFORMED.to_owned();
        let info =
            self.url.replacen("valkey+unix", "unix", 1).into_connection_info().map_err(|_| malformed())?;
        let ConnectionAddr::Unix(path) = info.addr() else { return Err(malformed()) };
        Ok(Endpoint {
            location: Location::Unix(path.clone()),
            settings: info.redis_settings().clone(),
            tls: None,
            origin: Origin::Url,
            map: None,
        })
    }

    /// Reads the TLS settings, if the scheme requires TLS.
    pub(super) fn tls(&self, encrypted: bool) -> Result<Option<Arc<Tls>>, String> {
        if !encrypted {
            return Ok(None);
        }
        let client = match (self.parameter("tls_cert"), self.parameter("tls_key")) {
            (None, None) => None,
            (Some(certificate), Some(key)) => Some((certificate, key)),
            _ => return Err("`tls_cert` and `tls_key` must be set together".to_owned()),
        };
        Ok(Some(Arc::new(Tls::new(self.parameter("tls_ca"), client)?)))
    }
}

const MALFORMED: &str = "it is malformed";
