//! A private Redis server on a loopback port. It stores nothing on disk and stops with this process.

use std::error::Error;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::time::sleep;

const PROGRAM: &str = "redis-server";

/// A shell script that kills the server when standard input is closed, which also happens when this process is killed. The
/// script copies standard input to descriptor 3, because a shell gives its background jobs an empty standard input.
const SCRIPT: &str = r#"
exec 3<&0
"$@" 3<&- </dev/null &
server=$!
{ read -r _ <&3; kill -9 "$server"; } &
wait "$server"
"#;

/// The longest time until the server must listen.
const PATIENCE: Duration = Duration::from_secs(5);

/// A running server. It stops when this value is dropped.
pub(crate) struct PrivateRedis {
    shell: Child,
    port: u16,
}

impl PrivateRedis {
    /// Starts a server. Returns `None` if the program is not installed.
    pub(crate) async fn start() -> Result<Option<Self>, Box<dyn Error>> {
        match Command::new(PROGRAM).arg("--version").stdout(Stdio::null()).status() {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("cannot start {PROGRAM}: {error}").into()),
        }
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "sh", PROGRAM, "--port", &port.to_string(), "--bind", "127.0.0.1"]);
        command.args(["--save", "", "--appendonly", "no"]);
        let shell = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let mut server = Self { shell, port };
        server.wait_until_it_listens().await?;
        Ok(Some(server))
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    async fn wait_until_it_listens(&mut self) -> Result<(), Box<dyn Error>> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let listens = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).await.is_ok();
            // Another process may have taken the port in the meantime. The server then exits, and the other process listens.
            if let Some(status) = self.shell.try_wait()? {
                return Err(format!("{PROGRAM} ended at once ({status})").into());
            }
            if listens {
                return Ok(());
            }
            sleep(Duration::from_millis(10)).await;
        }
        Err(format!("{PROGRAM} does not listen after {} s", PATIENCE.as_secs()).into())
    }
}

impl Drop for PrivateRedis {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}
