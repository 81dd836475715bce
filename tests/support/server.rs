//! A private Redis server that a test can start, stop, kill and restart.

use crate::builder::{RedisServerBuilder, program};
use crate::certificates::Certificates;
use crate::directory::Directory;
use crate::ports::free_port;
use crate::watchdog::{LIMIT, Watched};
use redis::{Client, Connection, RedisResult};
use std::path::Path;
use std::process::ExitStatus;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A private Redis server on a free loopback port. When this value is dropped, the process ends and its files are removed.
#[derive(Debug)]
pub struct RedisServer {
    // This field is dropped before the directory, because the server must end before its files are removed.
    process: Option<Watched>,
    directory: Directory,
    options: RedisServerBuilder,
    port: u16,
}

impl RedisServer {
    /// Starts a server without a password that stores nothing on disk.
    #[must_use]
    pub fn start() -> Self {
        Self::builder().start()
    }

    /// Returns the options for a new server.
    pub fn builder() -> RedisServerBuilder {
        RedisServerBuilder::default()
    }

    pub(crate) fn start_with(options: RedisServerBuilder) -> Self {
        let mut server = Self { process: None, directory: Directory::create(), options, port: 0 };
        server.launch_on(free_port);
        server
    }

    /// The URL: `redis://[:password@]127.0.0.1:port/`, or `rediss://` with TLS.
    #[must_use]
    pub fn url(&self) -> String {
        self.options.url(self.port)
    }

    /// The port, which stays the same after a restart.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The files of the server's certificates. The files exist if the server was started with TLS.
    #[must_use]
    pub fn certificates(&self) -> Certificates {
        Certificates::within(self.directory.path())
    }

    /// Whether the server runs.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// A blocking connection for set-up and assertions. Its commands time out after ten seconds.
    #[must_use]
    pub fn raw(&self) -> Connection {
        self.connect(LIMIT).unwrap_or_else(|error| panic!("no connection to the test's server: {error}"))
    }

    /// Like [`raw`](Self::raw), for a server that may not run.
    pub(crate) fn try_raw(&self) -> RedisResult<Connection> {
        self.connect(LIMIT)
    }

    /// The last lines of the log, for messages.
    pub(crate) fn log_tail(&self) -> String {
        self.directory.log_tail()
    }

    /// Shuts the server down, and waits until the process ends.
    pub fn stop(&mut self) {
        let Some(mut process) = self.process.take() else {
            return;
        };
        let mode = if self.options.is_persistent() { "SAVE" } else { "NOSAVE" };
        let answer = self
            .connect(LIMIT)
            .and_then(|mut connection| redis::cmd("SHUTDOWN").arg(mode).query::<String>(&mut connection));
        // A server that shuts down does not reply, so an error is expected.
        if process.wait().is_none() {
            self.fail(&format!("the server did not stop: {answer:?}"));
        }
    }

    /// Kills the server (`SIGKILL`), and waits until the process ends.
    pub fn kill(&mut self) {
        if let Some(process) = self.process.take() {
            process.kill();
        }
    }

    /// Starts the server again on the same port. A running server is stopped first. Only a persistent server keeps
    /// its data.
    pub fn restart(&mut self) {
        self.stop();
        let port = self.port;
        self.launch_on(|| port);
    }

    /// Like [`restart`](Self::restart), with further arguments for this and all later starts.
    pub(crate) fn restart_with(&mut self, args: [String; 3]) {
        self.options = std::mem::take(&mut self.options).args(args);
        self.restart();
    }

    /// Launches the server on a port that `choose` returns. Tries again if another process has taken the port in the meantime.
    fn launch_on(&mut self, choose: impl Fn() -> u16) {
        let deadline = Instant::now() + LIMIT;
        while Instant::now() < deadline {
            self.port = choose();
            self.process = self.launch();
            if self.process.is_some() {
                return;
            }
            sleep(Duration::from_millis(20));
        }
        self.fail(&format!("port {} stays taken", self.port));
    }

    /// Starts the process, and waits until it replies. Returns `None` if its port was taken.
    fn launch(&self) -> Option<Watched> {
        let directory = self.directory.path();
        self.options.prepare(directory);
        let args = self.options.command_line(self.port, directory);
        let spawned = Watched::spawn(&program(), &args, directory, self.directory.new_log());
        let mut process = spawned.expect("`sh` can be started");
        let deadline = Instant::now() + LIMIT;
        while !self.is_ready() {
            if let Some(status) = process.exited() {
                self.explain(status);
                return None;
            }
            if Instant::now() > deadline {
                self.fail("the server does not answer");
            }
            sleep(Duration::from_millis(5));
        }
        Some(process)
    }

    /// Panics unless the process ended because its port was taken.
    fn explain(&self, status: ExitStatus) {
        let program = program();
        let program = program.display();
        if matches!(status.code(), Some(126 | 127)) {
            self.fail(&format!(
                "cannot start `{program}`: run `cargo xtask test`, which installs redis-server"
            ));
        }
        let log = self.directory.log_tail();
        // Version 6.2 reports a taken port of a cluster's bus with the second message.
        let taken = ["Failed listening on port", "Could not create server TCP listening socket"];
        if !taken.iter().any(|words| log.contains(words)) {
            self.fail(&format!("`{program}` ended at once ({status})"));
        }
    }

    fn fail(&self, message: &str) -> ! {
        panic!("{message}; the end of its log:\n{}", self.directory.log_tail());
    }

    /// Whether this server itself replies. The check compares directories, because another test's server may have taken the
    /// port.
    fn is_ready(&self) -> bool {
        let ask = || -> RedisResult<bool> {
            let mut connection = self.connect(Duration::from_secs(1))?;
            redis::cmd("PING").query::<String>(&mut connection)?;
            if self.options.is_sentinel() {
                let info: String = redis::cmd("INFO").arg("server").query(&mut connection)?;
                return Ok(info.contains(&*self.directory.path().to_string_lossy()));
            }
            let (_, directory): (String, String) =
                redis::cmd("CONFIG").arg("GET").arg("dir").query(&mut connection)?;
            Ok(Path::new(&directory) == self.directory.path())
        };
        ask().unwrap_or(false)
    }

    fn connect(&self, limit: Duration) -> RedisResult<Connection> {
        let connection = Client::open(self.options.plain_url(self.port, self.directory.path()))?
            .get_connection_with_timeout(limit)?;
        connection.set_read_timeout(Some(limit))?;
        connection.set_write_timeout(Some(limit))?;
        Ok(connection)
    }
}

#[cfg(test)]
mod tests {
    use super::RedisServer;

    #[test]
    fn a_port_lost_to_another_server_is_noticed() {
        let winner = RedisServer::start();
        let mut loser = RedisServer::start();
        loser.stop();
        loser.port = winner.port;
        assert!(loser.launch().is_none());
        assert_eq!(winner.keys_without_ttl(), 0);
    }
}
