//! axum servers of the comparison.

use super::Load;
use axum::Router;
use axum::extract::ConnectInfo;
use axum::routing::get;
use governor::clock::QuantaInstant;
use governor::middleware::NoOpMiddleware;
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;
use tower_governor::GovernorLayer;
use tower_governor::governor::GovernorConfigBuilder;
use tower_governor::key_extractor::PeerIpKeyExtractor;

const DAY: Duration = Duration::from_secs(86_400);

async fn bare(_: ConnectInfo<SocketAddr>) -> &'static str {
    "hello"
}

#[rate_limit(key = "http", time = "1d", count = 4_000_000_000, by = "ip")]
async fn passed(_: ConnectInfo<SocketAddr>) -> Result<&'static str, Rejection> {
    Ok("hello")
}

#[rate_limit(key = "http", time = "1d", count = 1, by = "ip")]
async fn refused(_: ConnectInfo<SocketAddr>) -> Result<&'static str, Rejection> {
    Ok("hello")
}

pub(super) fn serve(kind: &str, load: Load, redis: &str) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let app = Router::new();
        let limited = || if load == Load::Passed { get(passed) } else { get(refused) };
        let app = match kind {
            "bare" => app.route("/", get(bare)),
            "governor" => {
                app.route("/", get(bare)).layer(GovernorLayer::new(governor(load).finish().ok_or(WRONG)?))
            }
            "governor-headers" => {
                let config = governor(load).use_headers().finish().ok_or(WRONG)?;
                app.route("/", get(bare)).layer(GovernorLayer::new(config))
            }
            "redis" => {
                ratelimit::install(RateLimiter::builder().redis(redis).prefix("axum").connect().await?)?;
                app.route("/", limited())
            }
            "layer" => {
                ratelimit::install(RateLimiter::in_memory())?;
                app.route("/", limited()).layer(RateLimitLayer::new())
            }
            _ => {
                ratelimit::install(RateLimiter::in_memory())?;
                app.route("/", limited())
            }
        };
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        println!("{}", listener.local_addr()?.port());
        axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
        Ok(())
    })
}

const WRONG: &str = "tower_governor does not accept the numbers";

fn governor(load: Load) -> GovernorConfigBuilder<PeerIpKeyExtractor, NoOpMiddleware<QuantaInstant>> {
    // A limit of one call per nanosecond never refuses. A limit of one call per day nearly always refuses.
    let (period, burst) = match load {
        Load::Passed => (Duration::from_nanos(1), u32::MAX),
        Load::Refused => (DAY, 1),
    };
    let mut builder = GovernorConfigBuilder::default();
    builder.period(period).burst_size(burst);
    builder
}
