//! The connector of a node: opens each new connection to its server. If there are sentinels, each attempt asks them again, and
//! so follows a failover.

use super::connection::{Connection, GivenConnection};
use super::dial::{Role, connect};
use super::endpoint::{Endpoint, is_host};
use crate::error::{Error, ErrorKind};
use redis::aio::ConnectionLike;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The way in which a connection is opened.
pub(crate) enum Connector {
    Server(Endpoint, Role),
    Sentinels(Sentinels),
    Given(GivenConnection, Endpoint),
}

impl Connector {
    /// Uses clones of a connection that the application has opened.
    #[cfg_attr(
        not(feature = "redis-1"),
        allow(dead_code, reason = "what it uses needs no condition of its own")
    )]
    pub(crate) fn given<C>(connection: C) -> Self
    where
        C: ConnectionLike + Clone + Send + Sync + 'static,
    {
        Self::Given(Arc::new(move || Box::new(connection.clone())), Endpoint::given())
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        match self {
            Self::Server(endpoint, _) | Self::Given(_, endpoint) => endpoint,
            Self::Sentinels(sentinels) => &sentinels.primary,
        }
    }

    /// Opens a connection to a server with the expected role.
    pub(crate) async fn connect(&self) -> Result<Connection, Error> {
        match self {
            Self::Server(endpoint, role) => connect(endpoint, *role).await,
            Self::Sentinels(sentinels) => sentinels.connect().await,
            Self::Given(given, endpoint) => {
                let mut connection = Connection::given(given);
                let ping = connection.ping().await;
                ping.map(|()| connection).map_err(|error| endpoint.explain(&error))
            }
        }
    }
}

/// The maximum time for the reply of a sentinel, and for the connection to the primary that it names. Afterwards the next
/// sentinel is asked.
const TIMEOUT: Duration = Duration::from_millis(400);
/// The same maximum with TLS. The timeout of the TLS handshake is shorter, so that its error is reported. That error names the
/// likely cause: a server without TLS.
const TLS_TIMEOUT: Duration = Duration::from_millis(1200);

/// Sentinels, and the name of the primary that they monitor.
pub(crate) struct Sentinels {
    pub(super) endpoints: Vec<Endpoint>,
    pub(super) name: String,
    /// The name and the settings of the primary.
    pub(super) primary: Endpoint,
    /// The index of the sentinel to ask first. It is the sentinel that has last named a working primary.
    pub(super) first: AtomicUsize,
}

impl Sentinels {
    /// Connects to the primary. If a sentinel names a server that is no longer the primary, the next sentinel is asked.
    async fn connect(&self) -> Result<Connection, Error> {
        let (number, first) = (self.endpoints.len(), self.first.load(Ordering::Relaxed));
        let mut failed = None;
        for at in (first..first + number).map(|at| at % number) {
            let sentinel = &self.endpoints[at];
            let primary = match with_timeout(sentinel, self.ask(sentinel)).await {
                Ok(primary) => primary,
                Err(error) => {
                    failed = Some(more_important(failed, error));
                    continue;
                }
            };
            match with_timeout(&primary, connect(&primary, Role::Primary)).await {
                Ok(connection) => {
                    self.first.store(at, Ordering::Relaxed);
                    return Ok(connection);
                }
                Err(error) => failed = Some(more_important(failed, error)),
            }
        }
        Err(failed.unwrap_or_else(|| {
            self.primary.error(ErrorKind::Configuration, "cannot connect to", "the URL names no sentinel")
        }))
    }

    /// Asks a sentinel for the endpoint of the primary.
    async fn ask(&self, sentinel: &Endpoint) -> Result<Endpoint, Error> {
        let mut connection = connect(sentinel, Role::Sentinel).await?;
        let mut command = redis::cmd("SENTINEL");
        command.arg("GET-MASTER-ADDR-BY-NAME").arg(&self.name);
        let reply = connection.send(&command).await.map_err(|error| sentinel.explain(&error))?;
        let invalid = || {
            let why = "expected the host and the port of a primary";
            sentinel.error(ErrorKind::Configuration, "invalid reply from", why)
        };
        let known: Option<(String, u16)> = redis::from_redis_value(reply).map_err(|_| invalid())?;
        match known {
            Some((host, port)) if is_host(&host) => Ok(self.primary.announced(&host, port)),
            Some(_) => Err(invalid()),
            None => {
                let why = format!("this sentinel does not monitor a primary named `{}`", self.name);
                Err(sentinel.error(ErrorKind::Configuration, "cannot use", why))
            }
        }
    }
}

/// Returns the error to report. A configuration error has priority, because it does not pass by itself.
fn more_important(failed: Option<Error>, error: Error) -> Error {
    failed.filter(|failed| !failed.is_transient() || error.is_transient()).unwrap_or(error)
}

async fn with_timeout<T>(
    endpoint: &Endpoint,
    attempt: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let timeout = if endpoint.tls.is_some() { TLS_TIMEOUT } else { TIMEOUT };
    tokio::time::timeout(timeout, attempt).await.unwrap_or_else(|_| Err(endpoint.no_reply(timeout)))
}
