//! The options of a private server, and its command line.

use crate::certificates::Certificates;
use crate::server::RedisServer;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// The name of a Sentinel's configuration file.
const SENTINEL: &str = "sentinel.conf";

/// Options of a [`RedisServer`], from [`RedisServer::builder`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct RedisServerBuilder {
    password: Option<String>,
    persistent: bool,
    tls: Option<Tls>,
    /// The content of a Sentinel's configuration file.
    sentinel: Option<String>,
    args: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
struct Tls {
    asks_clients: bool,
}

impl RedisServerBuilder {
    /// Requires this password, which [`RedisServer::url`] then contains.
    pub fn password(mut self, password: impl Into<String>) -> Self {
        self.password = Some(password.into());
        self
    }

    /// Keeps the data when the server stops, is killed or restarts.
    pub fn persistent(mut self) -> Self {
        self.persistent = true;
        self
    }

    /// Accepts only TLS, with its own [certificates](RedisServer::certificates). The server program must [support
    /// TLS](crate::has_tls).
    pub fn tls(mut self) -> Self {
        self.tls = Some(Tls { asks_clients: false });
        self
    }

    /// Like [`tls`](Self::tls), and accepts only clients with a certificate of the same authority.
    pub fn mutual_tls(mut self) -> Self {
        self.tls = Some(Tls { asks_clients: true });
        self
    }

    /// Adds command line arguments after those of this builder.
    pub fn args<T: Into<String>>(mut self, args: impl IntoIterator<Item = T>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Starts the server and waits until it replies.
    #[must_use]
    pub fn start(self) -> RedisServer {
        RedisServer::start_with(self)
    }

    pub(crate) fn is_persistent(&self) -> bool {
        self.persistent
    }

    /// Makes this a Sentinel, which stores what it learns in its configuration file.
    pub(crate) fn sentinel(mut self, configuration: String) -> Self {
        self.sentinel = Some(configuration);
        self
    }

    pub(crate) fn is_sentinel(&self) -> bool {
        self.sentinel.is_some()
    }

    /// Writes the certificates and the Sentinel's configuration to the server's directory.
    pub(crate) fn prepare(&self, directory: &Path) {
        if self.tls.is_some() {
            Certificates::within(directory).make();
        }
        let file = directory.join(SENTINEL);
        if let Some(configuration) = &self.sentinel
            && !file.exists()
        {
            fs::write(file, configuration).expect("a file can be written in the private directory");
        }
    }

    /// Returns the arguments of the server program. Redis 6.2 knows all of these options.
    pub(crate) fn command_line(&self, port: u16, directory: &Path) -> Vec<String> {
        let socket = socket(directory);
        let (certificates, sentinel) = (Certificates::within(directory), directory.join(SENTINEL));
        let directory = directory.to_str().expect("the temporary directory's path is text");
        let port = port.to_string();
        let mut line = vec!["--bind", "127.0.0.1", "--dir", directory];
        if self.is_sentinel() {
            let file = sentinel.to_str().expect("the temporary directory's path is text");
            let line = [file, "--sentinel", "--port", &port].into_iter().chain(line);
            return line.map(String::from).collect();
        }
        line.extend(["--save", ""]);
        match self.tls {
            None => line.extend(["--port", &port]),
            Some(_) => line.extend(["--port", "0", "--tls-port", &port, "--unixsocket", &socket]),
        }
        if self.persistent {
            // Other policies than `always` may delay a write. A killed server would lose it.
            line.extend(["--appendonly", "yes", "--appendfsync", "always"]);
        } else {
            line.extend(["--appendonly", "no"]);
        }
        if let Some(password) = &self.password {
            line.extend(["--requirepass", password]);
        }
        let tls = self.tls.map(|tls| certificates.options(tls.asks_clients)).unwrap_or_default();
        line.into_iter().map(String::from).chain(tls).chain(self.args.iter().cloned()).collect()
    }

    pub(crate) fn url(&self, port: u16) -> String {
        let scheme = if self.tls.is_some() { "rediss" } else { "redis" };
        let user = self.encoded_password().map(|password| format!(":{password}@"));
        format!("{scheme}://{}127.0.0.1:{port}/", user.unwrap_or_default())
    }

    /// The URL for the harness, which connects without TLS: through a Unix socket if the port accepts only TLS.
    pub(crate) fn plain_url(&self, port: u16, directory: &Path) -> String {
        if self.tls.is_none() {
            return self.url(port);
        }
        let password = self.encoded_password().map(|password| format!("?pass={password}"));
        format!("unix://{}{}", socket(directory), password.unwrap_or_default())
    }

    fn encoded_password(&self) -> Option<String> {
        self.password.as_deref().map(percent_encoded)
    }
}

fn socket(directory: &Path) -> String {
    directory.join("redis.sock").to_str().expect("the temporary directory's path is text").to_owned()
}

/// The program to start. `cargo xtask test` may select another one.
pub(crate) fn program() -> OsString {
    let named = std::env::var_os("RATELIMIT_REDIS_SERVER").filter(|name| !name.is_empty());
    named.unwrap_or_else(|| OsString::from("redis-server"))
}

fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}
