//! Certificates for TLS: an authority, a server, a client.

use crate::builder::program;
use crate::directory::Directory;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files of a server's certificates, in PEM. They are removed when the server is dropped.
#[derive(Clone, Debug)]
pub struct Certificates(PathBuf);

impl Certificates {
    /// The authority that signed the other certificates.
    #[must_use]
    pub fn authority(&self) -> PathBuf {
        self.0.join("authority.pem")
    }

    /// A certificate of the server that has expired.
    #[must_use]
    pub fn expired(&self) -> PathBuf {
        self.0.join("expired.pem")
    }

    /// The certificate of a client.
    #[must_use]
    pub fn client(&self) -> PathBuf {
        self.0.join("client.pem")
    }

    /// The private key of [`client`](Self::client).
    #[must_use]
    pub fn client_key(&self) -> PathBuf {
        self.0.join("client-key.pem")
    }

    pub(crate) fn within(directory: &Path) -> Self {
        Self(directory.to_owned())
    }

    /// Creates the files unless they exist. The server's certificate is valid for `localhost` and `127.0.0.1`.
    pub(crate) fn make(&self) {
        if self.authority().exists() {
            return;
        }
        let authority = KeyPair::generate().expect("a key can be made");
        let mut params = named("authority", &[]);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let signed = params.self_signed(&authority).expect("an authority can sign itself");
        let issuer = Issuer::new(params, authority);
        for (name, hosts) in [("server", &["localhost", "127.0.0.1"][..]), ("client", &[])] {
            let key = KeyPair::generate().expect("a key can be made");
            let signed = |params: CertificateParams| {
                params.signed_by(&key, &issuer).expect("an authority can sign").pem()
            };
            let mut expired = named(name, hosts);
            expired.not_after = rcgen::date_time_ymd(2000, 1, 1);
            self.write(&format!("{name}.pem"), &signed(named(name, hosts)));
            if name == "server" {
                self.write("expired.pem", &signed(expired));
            }
            self.write(&format!("{name}-key.pem"), &key.serialize_pem());
        }
        self.write("authority.pem", &signed.pem());
    }

    /// The options of a server that uses these certificates.
    pub(crate) fn options(&self, asks_clients: bool) -> Vec<String> {
        let file = |name: &str| self.0.join(name).to_str().expect("the directory's path is text").to_owned();
        let asks = if asks_clients { "yes" } else { "no" };
        let options = [
            ("--tls-ca-cert-file", file("authority.pem")),
            ("--tls-cert-file", file("server.pem")),
            ("--tls-key-file", file("server-key.pem")),
            ("--tls-auth-clients", asks.to_owned()),
        ];
        options.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).expect("a file can be written in the private directory");
    }
}

fn named(name: &str, hosts: &[&str]) -> CertificateParams {
    let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
    let mut params = CertificateParams::new(hosts).expect("these are names of hosts");
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

/// Whether the server program supports TLS. Programs of system packages support TLS, but other programs may not.
#[must_use]
pub fn has_tls() -> bool {
    // The server fails to start, and its message shows whether it supports TLS.
    let directory = Directory::create();
    let mut ask = Command::new(program());
    ask.current_dir(directory.path()).args(["--port", "0", "--tls-port", "11000", "--tls-cert-file", "none"]);
    let answer = ask.output().expect("the server can be started");
    String::from_utf8_lossy(&[answer.stdout, answer.stderr].concat()).contains("Failed to configure TLS")
}
