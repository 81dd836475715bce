//! A private Prometheus that scrapes one target.

use crate::directory::Directory;
use crate::watchdog::{LIMIT, Watched};
use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};

/// A Prometheus on a free loopback port that scrapes `/metrics` of one address every 250 ms. When this value is dropped, the
/// process ends.
#[derive(Debug)]
pub struct Prometheus {
    // This field is dropped before the directory, because the server must end before its files are removed.
    _process: Watched,
    directory: Directory,
    port: u16,
}

impl Prometheus {
    /// Starts the server, and waits until it is ready.
    #[must_use]
    pub fn start(target: SocketAddr) -> Self {
        let directory = Directory::create();
        let path = directory.path().to_str().expect("the temporary directory's path is text");
        let file = format!("{path}/prometheus.yml");
        let scrape = format!(
            "scrape_configs:\n  - job_name: test\n    scrape_interval: 250ms\n    scrape_timeout: 250ms\n    static_configs:\n      - targets: [\"{target}\"]\n"
        );
        fs::write(&file, scrape).expect("the private directory is writable");
        let args = |port| {
            vec![
                format!("--config.file={file}"),
                format!("--storage.tsdb.path={path}/data"),
                format!("--web.listen-address=127.0.0.1:{port}"),
            ]
        };
        let is_ready = |port| get(port, "/-/ready").is_some_and(|reply| reply.contains("Ready"));
        let (process, port) = Watched::on_a_free_port("prometheus", &directory, args, is_ready);
        Self { _process: process, directory, port }
    }

    /// The reply to an instant query, as JSON.
    #[must_use]
    pub fn query(&self, query: &str) -> String {
        let path = format!("/api/v1/query?query={}", percent_encoded(query));
        get(self.port, &path).expect("the server runs")
    }

    /// The last lines of the log, for messages.
    #[must_use]
    pub fn log_tail(&self) -> String {
        self.directory.log_tail()
    }
}

/// The body of the response to a request. `None` if the request fails.
fn get(port: u16, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()?;
    stream.set_read_timeout(Some(LIMIT)).ok()?;
    // HTTP 1.0 prevents a body in chunks.
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
