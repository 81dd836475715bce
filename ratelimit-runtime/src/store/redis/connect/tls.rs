//! Encrypted connections, where the feature `tls` is on.

/// PEM files that a URL names.
#[derive(Default)]
#[cfg_attr(not(feature = "tls"), expect(dead_code, reason = "nobody reads them"))]
pub(crate) struct Files<'u> {
    /// Who vouches for the server; the system's authorities unless said.
    pub(crate) authorities: Option<&'u str>,
    /// What this client shows, with its key.
    pub(crate) certificate: Option<&'u str>,
    pub(crate) key: Option<&'u str>,
}

#[cfg(feature = "tls")]
pub(crate) use built_in::Tls;

/// Never made.
#[cfg(not(feature = "tls"))]
pub(crate) enum Tls {}

#[cfg(not(feature = "tls"))]
impl Tls {
    #[expect(clippy::unused_async, reason = "that of the other one is none")]
    pub(crate) async fn connect(
        &self,
        _: &super::endpoint::Address,
        _: &str,
        _: tokio::net::TcpStream,
    ) -> Result<tokio::net::TcpStream, crate::error::Error> {
        match *self {}
    }

    pub(crate) fn new(_: &Files<'_>) -> Result<Self, String> {
        Err("it asks for TLS, which is not built in: turn on the feature `tls` of `ratelimit-runtime`"
            .to_owned())
    }
}

#[cfg(feature = "tls")]
mod built_in {
    use super::Files;
    use crate::error::{Error, ErrorKind};
    use crate::store::redis::connect::endpoint::Address;
    use crate::store::redis::errors::text::of_system;
    use std::io;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::net::TcpStream;
    use tokio_rustls::TlsConnector;
    use tokio_rustls::client::TlsStream;
    use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
    use tokio_rustls::rustls::{self, CertificateError, crypto::ring};
    use tokio_rustls::rustls::{ClientConfig, RootCertStore};

    /// Whom to trust, and what to show. TLS 1.2 and 1.3; the server's name is always checked.
    pub(crate) struct Tls(TlsConnector);

    impl Tls {
        pub(crate) fn new(files: &Files<'_>) -> Result<Self, String> {
            let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
                .with_safe_default_protocol_versions()
                .map_err(|error| error.to_string())?
                .with_root_certificates(authorities(files.authorities)?);
            let config = match (files.certificate, files.key) {
                (None, None) => config.with_no_client_auth(),
                (Some(certificate), Some(key)) => {
                    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| {
                        format!("cannot read the key that `tls_key` names: {}", unread(&error))
                    })?;
                    config
                        .with_client_auth_cert(certificates("tls_cert", certificate)?, key)
                        .map_err(|error| format!("cannot use `tls_cert` with `tls_key`: {error}"))?
                }
                _ => return Err("`tls_cert` and `tls_key` go together".to_owned()),
            };
            Ok(Self(TlsConnector::from(Arc::new(config))))
        }

        pub(crate) async fn connect(
            &self,
            address: &Address,
            host: &str,
            stream: TcpStream,
        ) -> Result<TlsStream<TcpStream>, Error> {
            let name = ServerName::try_from(host.to_owned()).map_err(|_| {
                address.error(
                    ErrorKind::Configuration,
                    "cannot check the name of",
                    "no certificate can hold it",
                )
            })?;
            // A server that expects plain words may wait for the end of the line.
            match tokio::time::timeout(PATIENCE, self.0.connect(name, stream)).await {
                Ok(encrypted) => encrypted.map_err(|error| explain(address, &error)),
                Err(_) => Err(address.error(ErrorKind::Unavailable, "no TLS answer from", SILENT)),
            }
        }
    }

    const PATIENCE: Duration = Duration::from_secs(1);
    const SILENT: &str = "not within a second; where it speaks no TLS, write `redis` in place of `rediss`";
    const PLAIN: &str = "it speaks no TLS; write `redis` in place of `rediss`";

    fn explain(address: &Address, error: &io::Error) -> Error {
        match error.get_ref().and_then(|inner| inner.downcast_ref()) {
            Some(rustls::Error::InvalidMessage(_)) => {
                address.error(ErrorKind::Configuration, "cannot understand", PLAIN)
            }
            Some(rustls::Error::InvalidCertificate(why)) => address.error(
                ErrorKind::Configuration,
                "cannot trust",
                format_args!(
                    "{}; `tls_ca` in the URL names the file of an authority to trust",
                    untrusted(why)
                ),
            ),
            Some(other) => address.error(ErrorKind::Configuration, "no encrypted connection to", other),
            None => address.error(ErrorKind::Unavailable, "cannot reach", of_system(error)),
        }
    }

    /// What is wrong with a certificate. Its names are the server's words, and are not shown.
    const fn untrusted(why: &CertificateError) -> &'static str {
        match why {
            CertificateError::UnknownIssuer => "its certificate is not signed by a known authority",
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "its certificate has expired"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "its certificate is not valid yet"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "its certificate is for another name"
            }
            CertificateError::Revoked => "its certificate was revoked",
            _ => "its certificate is not valid",
        }
    }

    /// Why a file was not read. What is in it is not shown: it may be a key.
    fn unread(error: &pem::Error) -> String {
        match error {
            pem::Error::Io(error) => of_system(error),
            pem::Error::NoItemsFound => "there is none in the file".to_owned(),
            _ => "the file is not valid PEM".to_owned(),
        }
    }

    fn authorities(path: Option<&str>) -> Result<RootCertStore, String> {
        let mut roots = RootCertStore::empty();
        let found = match path {
            Some(path) => certificates("tls_ca", path)?,
            None => rustls_native_certs::load_native_certs().certs,
        };
        if roots.add_parsable_certificates(found).0 == 0 {
            return Err(match path {
                Some(_) => "`tls_ca` names a file without a usable certificate",
                None => "the system knows no certificate authorities: name some in `tls_ca`",
            }
            .to_owned());
        }
        Ok(roots)
    }

    fn certificates(parameter: &str, path: &str) -> Result<Vec<CertificateDer<'static>>, String> {
        let read = |error: pem::Error| {
            format!("cannot read the certificates that `{parameter}` names: {}", unread(&error))
        };
        CertificateDer::pem_file_iter(path).map_err(read)?.collect::<Result<_, _>>().map_err(read)
    }
}
