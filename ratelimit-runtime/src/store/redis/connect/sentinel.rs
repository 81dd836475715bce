//! Finds the primary that sentinels monitor. Each attempt to connect asks them again, and so follows a failover.

use super::connection::Connection;
use super::dial::connect;
use super::endpoint::{Endpoint, is_host};
use super::handshake::Role;
use crate::error::{Error, ErrorKind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The maximum time for one server. Afterwards the next sentinel is asked.
const TIMEOUT: Duration = Duration::from_millis(400);
/// The same with TLS: longer than the TLS handshake with a server that does not use TLS.
const TLS_TIMEOUT: Duration = Duration::from_millis(1200);

/// Sentinels, and the name of the primary that they monitor.
pub(crate) struct Sentinels {
    endpoints: Vec<Endpoint>,
    name: String,
    /// The name and the settings of the primary.
    primary: Endpoint,
    /// The index of the sentinel to ask first: the last one that named a working primary.
    first: AtomicUsize,
}

impl Sentinels {
    pub(crate) fn new(endpoints: Vec<Endpoint>, name: String, primary: Endpoint) -> Self {
        Self { endpoints, name, primary, first: AtomicUsize::new(0) }
    }

    /// Returns the endpoint to show in messages.
    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.primary
    }

    /// Connects to the primary. A sentinel may name a server that is no longer the primary. The next sentinel is asked then.
    pub(super) async fn connect(&self) -> Result<Connection, Error> {
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
            Some((host, port)) if is_host(&host) => Ok(self.primary.with_host(&host, port)),
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
