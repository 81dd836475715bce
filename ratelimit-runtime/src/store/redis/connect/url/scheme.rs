//! The schemes of a store's URL: which kind of servers, and whether with TLS.

/// The part of a scheme after `redis`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    Server,
    Socket,
    Sentinel,
    Cluster,
}

impl Scheme {
    /// Reads a scheme. Returns also whether it asks for TLS.
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

    /// Returns the names of the parameters after `?`.
    pub(super) const fn parameters(self, encrypted: bool) -> &'static [&'static str] {
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
