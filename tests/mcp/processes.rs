//! Four processes of the operating system share the limit of a tool.

use crate::harness::{Client, call, over_http, serve, store};
use crate::shared::{Shared, check_refusal};
use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// The environment variable with the URL of the store. With it, this program is a server.
const SERVER: &str = "RATELIMIT_TEST_MCP_SERVER";

/// A server in a process of its own, which is stopped when this is dropped.
struct Process {
    child: Child,
    client: Client,
}

impl Process {
    async fn start() -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "processes::server", "--nocapture"]).env(SERVER, store());
        let mut child = command.stdout(Stdio::piped()).stdin(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let line = lines.into_iter().find(|line| line.starts_with("serves ")).unwrap();
        let address = line["serves ".len()..].parse().unwrap();
        Self { child, client: over_http(address, &[]).await }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Not a test: a server for `the_31st_call_of_four_processes_is_refused`. It ends with the process that has started it.
#[test]
fn server() {
    let Ok(url) = env::var(SERVER) else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let address = runtime.block_on(async { serve(Shared::on(&url, "processes").await).await });
    println!("\nserves {address}");
    let _ = std::io::stdin().lines().count(); // until the other end is closed
}

#[tokio::test]
async fn the_31st_call_of_four_processes_is_refused() {
    let mut processes = Vec::new();
    for _ in 0..4 {
        processes.push(Process::start().await);
    }
    for turn in 0..30 {
        let called = call(&processes[turn % 4].client, "search").await;
        called.unwrap_or_else(|error| panic!("call {turn}: {error:?}"));
    }
    for process in &processes {
        check_refusal(&call(&process.client, "search").await.unwrap_err());
    }
}
