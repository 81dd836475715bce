//! Stands in for TLS when the feature `tls` is off. A URL that needs TLS is refused.

use super::PemFiles;
use crate::store::redis::errors::Problem;
use tokio::net::TcpStream;

/// Cannot be created.
pub(in super::super) enum Tls {}

impl Tls {
    pub(in super::super) fn new(_: &PemFiles<'_>) -> Result<Self, String> {
        Err("TLS is not built in; turn on the feature `tls` of `ratelimit-runtime`".to_owned())
    }

    #[expect(clippy::unused_async, reason = "the same signature as with the feature")]
    pub(in super::super) async fn connect(&self, _: &str, _: TcpStream) -> Result<TcpStream, Problem> {
        match *self {}
    }
}
