//! The primary that sentinels name: asked for at each attempt to connect, so that a failover is followed.

use crate::error::{Error, ErrorKind};
use crate::store::redis::connect::connection::Connection;
use crate::store::redis::connect::connector::connect;
use crate::store::redis::connect::endpoint::{Address, is_host};
use crate::store::redis::connect::handshake::Expected;
use crate::store::redis::errors::failure;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Longest time to meet one server: another sentinel may know better. With TLS, longer than it takes to see that one speaks
/// none.
const PATIENCE: Duration = Duration::from_millis(400);
const TLS_PATIENCE: Duration = Duration::from_millis(1200);

/// Sentinels, and the name of the primary that they watch.
pub(crate) struct Sentinels {
    asked: Vec<Address>,
    name: String,
    primary: Address,
    /// The one to ask first: the last that knew.
    first: AtomicUsize,
}

impl Sentinels {
    pub(crate) fn new(asked: Vec<Address>, name: String, primary: Address) -> Self {
        Self { asked, name, primary, first: AtomicUsize::new(0) }
    }

    /// For messages.
    pub(crate) fn address(&self) -> &Address {
        &self.primary
    }

    /// The connection to the primary. What one sentinel says may be out of date: then others are asked.
    pub(crate) async fn connect(&self) -> Result<Connection, Error> {
        let (number, first) = (self.asked.len(), self.first.load(Ordering::Relaxed));
        let mut failed = None;
        for at in (first..first + number).map(|at| at % number) {
            let primary = match within(&self.asked[at], self.ask(&self.asked[at])).await {
                Ok(primary) => primary,
                Err(error) => {
                    failed = Some(worse(failed, error));
                    continue;
                }
            };
            match within(&primary, connect(&primary, Expected::Primary)).await {
                Ok(connection) => {
                    self.first.store(at, Ordering::Relaxed);
                    return Ok(connection);
                }
                Err(error) => failed = Some(worse(failed, error)),
            }
        }
        Err(failed.unwrap_or_else(|| {
            self.primary.error(ErrorKind::Configuration, "cannot reach", "there is no sentinel")
        }))
    }

    async fn ask(&self, sentinel: &Address) -> Result<Address, Error> {
        let mut connection = connect(sentinel, Expected::Sentinel).await?;
        let mut question = redis::cmd("SENTINEL");
        question.arg("GET-MASTER-ADDR-BY-NAME").arg(&self.name);
        let answer = connection.send(&question).await.map_err(|error| failure::explain(sentinel, &error))?;
        let no_address =
            || sentinel.error(ErrorKind::Configuration, "cannot understand", "it names no address");
        let known: Option<(String, u16)> = redis::from_redis_value(answer).map_err(|_| no_address())?;
        match known {
            Some((host, port)) if is_host(&host) => Ok(self.primary.at(&host, port)),
            Some(_) => Err(no_address()),
            None => Err(sentinel.error(
                ErrorKind::Configuration,
                "cannot use the sentinel of",
                format!("it watches no primary of the name `{}`", self.name),
            )),
        }
    }
}

/// What has to be mended is worth more words than what passes.
fn worse(failed: Option<Error>, error: Error) -> Error {
    failed.filter(|failed| !failed.is_transient() || error.is_transient()).unwrap_or(error)
}

async fn within<T>(address: &Address, trying: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let patience = if address.tls.is_some() { TLS_PATIENCE } else { PATIENCE };
    tokio::time::timeout(patience, trying).await.unwrap_or_else(|_| {
        Err(address.error(
            ErrorKind::Unavailable,
            "cannot reach",
            format_args!("no answer within {patience:?}"),
        ))
    })
}
