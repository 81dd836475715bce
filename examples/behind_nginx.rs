//! A server behind nginx. It limits the clients of nginx, not nginx. Prints the configuration, and starts nginx if it is
//! installed.
//!
//! ```sh
//! cargo run --example behind_nginx # on Linux, where 127.0.0.0/8 needs no setup
//! for i in 1 2 3; do curl -i localhost:8080; done                       # 2 per minute for an address; the 3rd: 429
//! curl -i -H 'X-Forwarded-For: 6.6.6.6' localhost:8080                  # still 429: nginx appends the real address
//! for i in 1 2 3; do curl -i --interface 127.0.0.2 localhost:8080; done # another client, with a limit of its own
//! ```

use axum::Router;
use axum::extract::Request;
use axum::routing::get;
use ratelimit::context::RequestContext;
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::error::Error;
use std::net::SocketAddr;
use std::path::Path;
use tokio::process::{Child, Command};

/// The address from which nginx connects to this server.
const NGINX: &str = "127.0.0.10";

/// The request contains the peer, which is nginx, and the header in which nginx names the client.
#[rate_limit(key = "home", time = "1m", count = 2, by = "ip")]
async fn home(_: Request) -> Result<String, Rejection> {
    let client = RequestContext::current().and_then(|context| context.client_ip());
    Ok(client.map_or_else(String::new, |client| format!("hello, {client}\n")))
}

/// Returns the configuration of nginx. The important lines are `proxy_pass` and `proxy_set_header`. Here curl runs on the
/// same machine, so `proxy_bind` gives nginx a separate address: a client with the address of a trusted proxy could name any
/// other client.
fn configuration(folder: &Path, upstream: SocketAddr) -> String {
    format!(
        "daemon off;
master_process off;
pid {folder}/nginx.pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    server {{
        listen 127.0.0.1:8080;
        location / {{
            proxy_pass http://{upstream};
            proxy_bind {NGINX};
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }}
    }}
}}
",
        folder = folder.display()
    )
}

/// Starts nginx in the foreground. nginx ends with this process.
fn start_nginx(folder: &Path, upstream: SocketAddr) -> std::io::Result<Child> {
    std::fs::create_dir_all(folder)?;
    let file = folder.join("nginx.conf");
    std::fs::write(&file, configuration(folder, upstream))?;
    Command::new("nginx")
        .arg("-p")
        .arg(folder)
        .arg("-e")
        .arg("stderr")
        .arg("-c")
        .arg(file)
        .kill_on_drop(true)
        .spawn()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Only the peers in this list may name another client. List your own proxies, never all addresses.
    let limiter = RateLimiter::builder().trusted_proxies([NGINX]).build()?;
    let app = Router::new().route("/", get(home)).layer(RateLimitLayer::new().limiter(limiter));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3001").await?;
    let upstream = listener.local_addr()?;

    let folder = std::env::temp_dir().join(format!("behind_nginx-{}", std::process::id()));
    println!("{}", configuration(&folder, upstream));
    let nginx = match start_nginx(&folder, upstream) {
        Ok(nginx) => Some(nginx),
        Err(error) => {
            println!("cannot start nginx ({error}): install it, or start it with the configuration above");
            None
        }
    };
    println!("nginx: http://127.0.0.1:8080, the server itself: http://{upstream}");

    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    let stopped = async { drop(tokio::signal::ctrl_c().await) };
    axum::serve(listener, service).with_graceful_shutdown(stopped).await?;
    drop(nginx);
    Ok(std::fs::remove_dir_all(folder)?)
}
