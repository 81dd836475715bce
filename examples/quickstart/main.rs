//! Runs first: a limited web server, requests from two addresses, and a table of what passed.
//!
//! `server.rs` is the code to copy; the rest plays the clients and shows the outcome.

mod client;
mod explain;
mod options;
mod server;
mod store;
mod story;
mod table;

use options::{HELP, Options};
use std::error::Error;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use story::{OTHER, Story};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    let options = match Options::parse(arguments.map(|argument| argument.to_string_lossy().into_owned())) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    match run(&options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    if options.help {
        return print(HELP);
    }
    let installed = store::install().await?;
    let listener = listen(options.port).await?;
    let address = listener.local_addr()?;
    let server = server::serve(listener);
    if options.serve {
        print(&invitation(address, &installed.place))?;
        tokio::select! {
            ended = server => ended?,
            interrupted = tokio::signal::ctrl_c() => interrupted?,
        }
        return Ok(());
    }
    tokio::spawn(server);
    let story = Story { server: address, limiter: &installed.limiter };
    let scenes = story.tell().await?;
    print(&table::render(&installed.place, &scenes))
}

async fn listen(port: u16) -> Result<TcpListener, String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listening = TcpListener::bind(address).await;
    listening.map_err(|error| format!("cannot listen on {address}: {error}"))
}

/// What to try on a server that stays.
fn invitation(address: SocketAddr, place: &str) -> String {
    let login = format!("http://{address}/login");
    let mut lines = vec![
        format!("Serving on http://{address}, with limits in {place}."),
        String::new(),
        "Six times within a minute:".to_owned(),
        format!("  curl -i -X POST {login}"),
    ];
    if client::can_call_from(OTHER) {
        lines.push("From another address, which has its own limit:".to_owned());
        lines.push(format!("  curl -i -X POST --interface {OTHER} {login}"));
    }
    lines.extend([
        "Four times in a row:".to_owned(),
        format!("  curl -i http://{address}/report/acme"),
        String::new(),
        "Ctrl-C ends it.\n".to_owned(),
    ]);
    lines.join("\n")
}

/// Not by `print!`, which panics when the reader has gone: `quickstart | head`.
fn print(text: &str) -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
}
