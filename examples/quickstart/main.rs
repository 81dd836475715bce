//! Starts the limited server of `server.rs`, sends requests to it, and prints the response to each of them.

mod client;
mod server;
#[path = "../terminal.rs"]
mod terminal;

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use terminal::print;
use tokio::net::TcpListener;

const HELP: &str = "\
Starts a web server with two limited handlers, sends requests to it, and prints the responses.

Usage: cargo run --example quickstart [-- --serve]

  --serve   keep the server running, and print commands to try

Limits are kept in the memory of the process. RATELIMIT_URL=redis://127.0.0.1 keeps them in Redis instead.
";

const FIRST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const SECOND: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = terminal::arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    terminal::exit_code(match arguments[..] {
        [] => run(false).await,
        ["--serve"] => run(true).await,
        ["--help" | "-h"] => print(HELP),
        _ => {
            return terminal::usage_error(&format!(
                "unknown options `{}`: see `--help`",
                arguments.join(" ")
            ));
        }
    })
}

async fn run(keeps_serving: bool) -> Result<(), Box<dyn Error>> {
    server::install_limiter().await?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let server = server::serve(listener);
    if keeps_serving {
        print(&commands(address))?;
        return Ok(server.await?);
    }
    tokio::spawn(server);
    print(match std::env::var_os("RATELIMIT_URL") {
        Some(_) => "Limits are kept in the Redis of RATELIMIT_URL. All processes that use it share them.\n",
        None => "Limits are kept in the memory of this process.\n",
    })?;
    let [login, report] = attributes();
    let mut logins = vec![(FIRST, "POST /login"); 6];
    if client::can_send_from(SECOND) {
        logins.push((SECOND, "POST /login"));
    }
    show(address, login, 5, &logins).await?;
    let acme = [(FIRST, "GET /report/acme"); 4];
    show(address, report, 3, &[&acme[..], &[(FIRST, "GET /report/globex")]].concat()).await?;
    print("\nThe server is examples/quickstart/server.rs. To send requests yourself, add `-- --serve`.\n")
}

/// Sends the requests that one attribute limits, and prints the responses. At most the first `limit` requests may be
/// admitted.
async fn show(
    server: SocketAddr,
    attribute: String,
    limit: usize,
    requests: &[(IpAddr, &str)],
) -> Result<(), Box<dyn Error>> {
    print(&format!("\n{attribute}\n"))?;
    let mut admitted = 0;
    for (client, request) in requests {
        let response = client::send(*client, server, request).await?;
        let retry_after = response.retry_after.map(|seconds| format!("  retry-after: {seconds} s"));
        let retry_after = retry_after.unwrap_or_default();
        print(&format!("  from {client}   {request:<20} {}{retry_after}\n", response.status))?;
        admitted += usize::from(response.status.starts_with("200") && (*client, *request) == requests[0]);
    }
    if admitted < limit {
        print("  Another run has used this limit before. Its units come back within a minute.\n")?;
    }
    Ok(())
}

/// Returns the attributes of both handlers as they are written in the source, with their doc comments.
fn attributes() -> [String; 2] {
    let lines: Vec<&str> = include_str!("server.rs").lines().collect();
    let pairs = lines.windows(2).filter(|pair| pair[1].starts_with("#[rate_limit("));
    let mut attributes = pairs.map(|pair| format!("{}\n{}", pair[0].trim_start_matches("/// "), pair[1]));
    [(); 2].map(|()| attributes.next().unwrap_or_default())
}

fn commands(address: SocketAddr) -> String {
    format!(
        "The server listens on {address}. Ctrl-C stops it. Send each request a few times:\n\
         \n  curl -i -X POST http://{address}/login\n  curl -i http://{address}/report/acme\n"
    )
}
