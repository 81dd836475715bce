//! Encrypted connections. They need the feature `tls`. Without it, a URL that requires TLS is rejected.

#[cfg(feature = "tls")]
mod enabled;

#[cfg(not(feature = "tls"))]
use super::traffic::Watched;
#[cfg(feature = "tls")]
pub(super) use enabled::Tls;

/// The TLS settings of a server. Without the feature `tls`, this type has no values.
#[cfg(not(feature = "tls"))]
pub(super) enum Tls {}

#[cfg(not(feature = "tls"))]
impl Tls {
    pub(super) fn new(_: Option<&str>, _: Option<(&str, &str)>) -> Result<Self, String> {
        Err("TLS is not built in; turn on the feature `tls` of `ratelimit-runtime`".to_owned())
    }

    #[expect(clippy::unused_async, reason = "the same signature as with the feature")]
    pub(super) async fn connect(
        &self,
        _: &str,
        _: Watched<tokio::net::TcpStream>,
    ) -> Result<Watched<tokio::net::TcpStream>, crate::store::redis::errors::Problem> {
        match *self {}
    }
}
