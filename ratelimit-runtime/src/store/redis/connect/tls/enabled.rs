//! TLS 1.2 and 1.3 by rustls. The server's certificate and its name are always checked.

use super::super::traffic::Watched;
use crate::store::redis::errors::{Problem, io_text};
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

/// The trusted authorities, and the certificate of this client if it has one.
pub(in super::super) struct Tls(TlsConnector);

impl Tls {
    /// Reads the PEM files that a URL names: the certificates of the trusted authorities, and the certificate of this client
    /// with its key. By default, the authorities of the system are trusted.
    pub(in super::super) fn new(
        authorities: Option<&str>,
        client: Option<(&str, &str)>,
    ) -> Result<Self, String> {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(trusted(authorities)?);
        let config = match client {
            None => config.with_no_client_auth(),
            Some((certificate, key)) => {
                let key = PrivateKeyDer::from_pem_file(key)
                    .map_err(|error| format!("cannot read the key in `tls_key`: {}", file_text(&error)))?;
                config
                    .with_client_auth_cert(certificates("tls_cert", certificate)?, key)
                    .map_err(|error| format!("cannot use `tls_cert` with `tls_key`: {error}"))?
            }
        };
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }

    pub(in super::super) async fn connect(
        &self,
        host: &str,
        stream: Watched<TcpStream>,
    ) -> Result<TlsStream<Watched<TcpStream>>, Problem> {
        let name = ServerName::try_from(host.to_owned()).map_err(|_| {
            Problem::configuration(CANNOT_ENCRYPT, "the host is not a DNS name or an IP address")
        })?;
        // The handshake needs a timeout, because a server without TLS may wait for the end of a line and never reply.
        match tokio::time::timeout(TIMEOUT, self.0.connect(name, stream)).await {
            Ok(encrypted) => encrypted.map_err(|error| explain(&error)),
            Err(_) => Err(Problem::unavailable(CANNOT_ENCRYPT, NO_REPLY)),
        }
    }
}

/// The maximum duration of the TLS handshake.
const TIMEOUT: Duration = Duration::from_secs(1);
const CANNOT_ENCRYPT: &str = "cannot encrypt the connection to";
const NO_REPLY: &str =
    "no TLS reply within 1 s; if the server does not use TLS, write `redis` in place of `rediss`";
const NO_TLS: &str = "the server does not use TLS; write `redis` in place of `rediss`";

fn explain(error: &io::Error) -> Problem {
    match error.get_ref().and_then(|inner| inner.downcast_ref()) {
        Some(rustls::Error::InvalidMessage(_)) => Problem::configuration(CANNOT_ENCRYPT, NO_TLS),
        Some(rustls::Error::InvalidCertificate(why)) => {
            let untrusted = untrusted(why);
            let why = format!("{untrusted}; `tls_ca` in the URL names the file of an authority to trust");
            Problem::configuration("cannot trust", why)
        }
        Some(other) => Problem::configuration(CANNOT_ENCRYPT, other.to_string()),
        None => Problem::unavailable("cannot connect to", io_text(error)),
    }
}

/// Returns what is wrong with a certificate. The names in a certificate are text of the server and are not shown.
const fn untrusted(why: &CertificateError) -> &'static str {
    match why {
        CertificateError::UnknownIssuer => "its certificate is not signed by a known authority",
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "its certificate has expired",
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

/// Returns why a file was not read. The contents are not shown, because they may be a key.
fn file_text(error: &pem::Error) -> String {
    match error {
        pem::Error::Io(error) => io_text(error),
        pem::Error::NoItemsFound => "the file contains none".to_owned(),
        _ => "the file is not valid PEM".to_owned(),
    }
}

fn trusted(path: Option<&str>) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let found = match path {
        Some(path) => certificates("tls_ca", path)?,
        None => rustls_native_certs::load_native_certs().certs,
    };
    if roots.add_parsable_certificates(found).0 == 0 {
        return Err(match path {
            Some(_) => "the file in `tls_ca` contains no usable certificate",
            None => "the system has no certificate authorities; name a file with some in `tls_ca`",
        }
        .to_owned());
    }
    Ok(roots)
}

fn certificates(parameter: &str, path: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let unread =
        |error: pem::Error| format!("cannot read the certificates in `{parameter}`: {}", file_text(&error));
    CertificateDer::pem_file_iter(path).map_err(unread)?.collect::<Result<_, _>>().map_err(unread)
}
