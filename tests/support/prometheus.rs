//! A private Prometheus that scrapes one target.

use crate::directory::Directory;
use crate::ports::free_port;
use crate::watchdog::{LIMIT, Watched};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A Prometheus on a free loopback port that scrapes `/metrics` of one address every 250 ms. When it is dropped, the process
/// ends.
#[derive(Debug)]
pub struct Prometheus {
    // Dropped before the directory: the server must end before its files are removed.
    _process: Watched,
    directory: Directory,
    port: u16,
}

impl Prometheus {
    /// Starts the server, and waits until it answers.
    #[must_use]
    pub fn start(target: SocketAddr) -> Self {
        let directory = Directory::create();
        let deadline = Instant::now() + LIMIT;
        loop {
            let port = free_port();
            if let Some(process) = launch(&directory, port, target) {
                return Self { _process: process, directory, port };
            }
            // Another process may take the port between its choice and its use.
            assert!(Instant::now() < deadline, "prometheus does not start:\n{}", directory.log_tail());
        }
    }

    /// The reply to an instant query, as JSON.
    #[must_use]
    pub fn query(&self, query: &str) -> String {
        let path = format!("/api/v1/query?query={}", percent_encoded(query));
        get(self.port, &path).expect("the server runs")
    }

    /// The last lines of its log, for messages.
    #[must_use]
    pub fn log_tail(&self) -> String {
        self.directory.log_tail()
    }
}

/// Starts the process, and waits until it is ready. `None` if it ends, as it does if its port was taken.
fn launch(directory: &Directory, port: u16, target: SocketAddr) -> Option<Watched> {
    let path = directory.path().to_str().expect("the temporary directory's path is text");
    let file = format!("{path}/prometheus.yml");
    let scrape = format!(
        "scrape_configs:\n  - job_name: test\n    scrape_interval: 250ms\n    scrape_timeout: 250ms\n    static_configs:\n      - targets: [\"{target}\"]\n"
    );
    fs::write(&file, scrape).expect("the private directory is writable");
    let args = [
        format!("--config.file={file}"),
        format!("--storage.tsdb.path={path}/data"),
        format!("--web.listen-address=127.0.0.1:{port}"),
    ];
    let spawned = Watched::spawn(OsStr::new("prometheus"), &args, directory.path(), directory.new_log());
    let mut process = spawned.expect("`sh` can be started");
    let deadline = Instant::now() + LIMIT;
    while !get(port, "/-/ready").is_some_and(|reply| reply.contains("Ready")) {
        if let Some(status) = process.exited() {
            assert!(
                !matches!(status.code(), Some(126 | 127)),
                "cannot start `prometheus`: run `cargo xtask test`, which installs it"
            );
            return None;
        }
        assert!(Instant::now() < deadline, "prometheus does not answer:\n{}", directory.log_tail());
        sleep(Duration::from_millis(20));
    }
    Some(process)
}

/// The body of the response to a request. `None` if nobody answers.
fn get(port: u16, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    stream.set_read_timeout(Some(LIMIT)).ok()?;
    // HTTP 1.0, so that the body is not in chunks.
    write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").ok()?;
    let mut response = String::new();
    stream.read_to_string(&mut response).ok()?;
    Some(response.split_once("\r\n\r\n")?.1.to_owned())
}

fn percent_encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        let _ = write!(encoded, "%{byte:02X}");
        encoded
    })
}
