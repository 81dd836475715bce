//! A private nginx in front of a server under test.

use crate::directory::Directory;
use crate::watchdog::Watched;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};

/// An nginx on a free loopback port that forwards all requests. When this value is dropped, the process ends.
#[derive(Debug)]
pub struct Nginx {
    // This field is dropped before the directory, because the server must end before its files are removed.
    _process: Watched,
    directory: Directory,
    port: u16,
}

impl Nginx {
    /// Starts nginx. `upstream` follows `http://` in `proxy_pass`, such as `127.0.0.1:8080` or `unix:/path`. `directives` are
    /// further lines of the location, such as `proxy_set_header X-Real-IP $remote_addr;`.
    #[must_use]
    pub fn start(upstream: &str, directives: &str) -> Self {
        let directory = Directory::create();
        let path = directory.path().to_str().expect("the temporary directory's path is text");
        let file = format!("{path}/nginx.conf");
        let args = |port| {
            fs::write(&file, configuration(path, port, upstream, directives))
                .expect("the private directory is writable");
            ["-p", path, "-c", &file, "-e", "stderr"].map(String::from).to_vec()
        };
        let is_ready = |port| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok();
        let (process, port) = Watched::on_a_free_port("nginx", &directory, args, is_ready);
        Self { _process: process, directory, port }
    }

    /// The address to send requests to.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// The last lines of the log, for messages.
    #[must_use]
    pub fn log_tail(&self) -> String {
        self.directory.log_tail()
    }
}

/// Returns the configuration: one process in the foreground, which writes all of its files to the private directory.
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
