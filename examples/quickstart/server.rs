//! The code to copy: a web server with two limited handlers.

use axum::Router;
use axum::extract::{ConnectInfo, Path};
use axum::routing::{get, post};
use ratelimit::{Rejection, rate_limit};
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// Five logins a minute for each address.
#[rate_limit(key = "login", time = 60, count = 5, by = "ip")]
async fn login(ConnectInfo(peer): ConnectInfo<SocketAddr>) -> Result<String, Rejection> {
    Ok(format!("welcome, {}\n", peer.ip()))
}

/// For each tenant three reports at once, and six a minute in the long run.
#[rate_limit(key = "report:{tenant}", time = 60, count = 6, algorithm = "token_bucket", burst = 3)]
async fn report(Path(tenant): Path<String>) -> Result<String, Rejection> {
    Ok(format!("the report of {tenant}\n"))
}

/// Answers requests until the future is dropped.
pub(crate) async fn serve(listener: TcpListener) -> std::io::Result<()> {
    let routes = Router::new().route("/login", post(login)).route("/report/{tenant}", get(report));
    // The address of the client, for `by = "ip"`.
    let service = routes.into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service).await
}
