//! What a private server is started with, and the command line that this makes.

use crate::server::RedisServer;
use std::ffi::OsString;
use std::path::Path;

/// Options of a [`RedisServer`], from [`RedisServer::builder`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct RedisServerBuilder {
    password: Option<String>,
    persistent: bool,
    args: Vec<String>,
}

impl RedisServerBuilder {
    /// Requires this password, which [`RedisServer::url`] then contains.
    pub fn password(mut self, password: impl Into<String>) -> Self {
        self.password = Some(password.into());
        self
    }

    /// Keeps the data over a stop, a kill and a restart.
    pub fn persistent(mut self) -> Self {
        self.persistent = true;
        self
    }

    /// Further command line arguments, after those of the harness.
    pub fn args<T: Into<String>>(mut self, args: impl IntoIterator<Item = T>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Starts the server and waits until it answers.
    #[must_use]
    pub fn start(self) -> RedisServer {
        RedisServer::start_with(self)
    }

    pub(crate) fn is_persistent(&self) -> bool {
        self.persistent
    }

    /// Only options that Redis 6.2 knows.
    pub(crate) fn command_line(&self, port: u16, directory: &Path) -> Vec<String> {
        let directory = directory.to_str().expect("the temporary directory's path is text");
        let port = port.to_string();
        let mut line = vec!["--port", &port, "--bind", "127.0.0.1", "--dir", directory, "--save", ""];
        if self.persistent {
            // `always`: the other policies may delay a write, and a killed server would lose it.
            line.extend(["--appendonly", "yes", "--appendfsync", "always"]);
        } else {
            line.extend(["--appendonly", "no"]);
        }
        if let Some(password) = &self.password {
            line.extend(["--requirepass", password]);
        }
        line.into_iter().map(String::from).chain(self.args.iter().cloned()).collect()
    }

    pub(crate) fn url(&self, port: u16) -> String {
        let user = self.password.as_deref().map(|password| format!(":{}@", percent_encoded(password)));
        format!("redis://{}127.0.0.1:{port}/", user.unwrap_or_default())
    }
}

/// The program to start: `cargo xtask test` may name one.
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
