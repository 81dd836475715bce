//! A private nginx in front of a server under test.

use crate::directory::Directory;
use crate::ports::free_port;
use crate::watchdog::{LIMIT, Watched};
use std::ffi::OsStr;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// An nginx on a free loopback port that passes all requests on. When it is dropped, the process ends.
#[derive(Debug)]
pub struct Nginx {
    // Dropped before the directory: the server must end before its files are removed.
    _process: Watched,
    directory: Directory,
    port: u16,
}

impl Nginx {
    /// Starts nginx. `upstream` is what `proxy_pass` names after `http://`, such as `127.0.0.1:8080` or `unix:/path`, and
    /// `directives` are further lines of the location, such as `proxy_set_header X-Real-IP $remote_addr;`.
    #[must_use]
    pub fn start(upstream: &str, directives: &str) -> Self {
        let directory = Directory::create();
        let deadline = Instant::now() + LIMIT;
        loop {
            let port = free_port();
            if let Some(process) = launch(&directory, port, upstream, directives) {
                return Self { _process: process, directory, port };
            }
            // Another process may take the port between its choice and its use.
            assert!(Instant::now() < deadline, "nginx does not start:\n{}", directory.log_tail());
        }
    }

    /// The address to send requests to.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// The last lines of its log, for messages.
    #[must_use]
    pub fn log_tail(&self) -> String {
        self.directory.log_tail()
    }
}

/// Starts the process, and waits until it accepts connections. `None` if it ends, as it does if its port was taken.
fn launch(directory: &Directory, port: u16, upstream: &str, directives: &str) -> Option<Watched> {
    let path = directory.path().to_str().expect("the temporary directory's path is text");
    let file = format!("{path}/nginx.conf");
    fs::write(&file, configuration(path, port, upstream, directives))
        .expect("the private directory is writable");
    let args = ["-p", path, "-c", &file, "-e", "stderr"].map(String::from);
    let spawned = Watched::spawn(OsStr::new("nginx"), &args, directory.path(), directory.new_log());
    let mut process = spawned.expect("`sh` can be started");
    let deadline = Instant::now() + LIMIT;
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        if let Some(status) = process.exited() {
            assert!(
                !matches!(status.code(), Some(126 | 127)),
                "cannot start `nginx`: run `cargo xtask test`, which installs it"
            );
            return None;
        }
        assert!(Instant::now() < deadline, "nginx does not answer:\n{}", directory.log_tail());
        sleep(Duration::from_millis(5));
    }
    Some(process)
}

/// One process in the foreground, with all of its files in the private directory.
fn configuration(path: &str, port: u16, upstream: &str, directives: &str) -> String {
    let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary = kinds.map(|kind| format!("{kind}_temp_path {path}/{kind};")).join("\n    ");
    format!(
        "daemon off;
master_process off;
pid {path}/nginx.pid;
error_log stderr;
events {{ worker_connections 256; }}
http {{
    access_log off;
    {temporary}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://{upstream};
            proxy_http_version 1.1;
            {directives}
        }}
    }}
}}
"
    )
}
