//! A web server with two limited handlers. Copy this file to start your own.

use axum::Router;
use axum::extract::{ConnectInfo, Path};
use axum::routing::{get, post};
use ratelimit::{OnError, RateLimiter, Rejection, rate_limit};
use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;

/// Each address may log in five times per minute.
#[rate_limit(key = "login", time = 60, count = 5, by = "ip")]
async fn login(ConnectInfo(peer): ConnectInfo<SocketAddr>) -> Result<String, Rejection> {
    Ok(format!("welcome, {}\n", peer.ip()))
}

/// Each tenant may request three reports at once, and then six per minute.
#[rate_limit(key = "report:{tenant}", time = 60, count = 6, algorithm = "token_bucket", burst = 3)]
async fn report(Path(tenant): Path<String>) -> Result<String, Rejection> {
    Ok(format!("the report of {tenant}\n"))
}

/// Installs the limiter of this process. It uses the Redis server of `RATELIMIT_URL`, or the memory of this process without
/// this variable.
pub(crate) async fn install_limiter() -> Result<(), Box<dyn Error>> {
    let limiter = match std::env::var_os("RATELIMIT_URL") {
        Some(url) => {
            let builder = RateLimiter::builder().redis(url.to_string_lossy());
            // While Redis is unavailable, all limited calls are rejected. `OnError::Local` would count in memory instead.
            builder.on_error(OnError::Deny).deadline(Duration::from_secs(1)).connect().await?
        }
        None => RateLimiter::in_memory(),
    };
    Ok(ratelimit::install(limiter)?)
}

/// Serves both handlers until the future is dropped.
pub(crate) async fn serve(listener: TcpListener) -> std::io::Result<()> {
    let routes = Router::new().route("/login", post(login)).route("/report/{tenant}", get(report));
    // `by = "ip"` needs the address of the client.
    axum::serve(listener, routes.into_make_service_with_connect_info::<SocketAddr>()).await
}
