//! actix-web servers of the comparison.

use super::Load;
use actix_governor::governor::clock::QuantaInstant;
use actix_governor::governor::middleware::NoOpMiddleware;
use actix_governor::{Governor, GovernorConfigBuilder, PeerIpKeyExtractor};
use actix_limitation::{Limiter, RateLimiter as Limitation};
use actix_web::dev::Server;
use actix_web::{App, HttpRequest, HttpServer, web};
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::error::Error;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);

async fn bare(_: HttpRequest) -> &'static str {
    "hello"
}

#[rate_limit(key = "http", time = "1d", count = 4_000_000_000, by = "ip")]
async fn passed(_: HttpRequest) -> Result<&'static str, Rejection> {
    Ok("hello")
}

#[rate_limit(key = "http", time = "1d", count = 1, by = "ip")]
async fn refused(_: HttpRequest) -> Result<&'static str, Rejection> {
    Ok("hello")
}

pub(super) fn serve(kind: &str, load: Load, redis: &str) -> Result<(), Box<dyn Error>> {
    actix_web::rt::System::new().block_on(async { Ok(start(kind, load, redis).await?.await?) })
}

fn limited(load: Load) -> actix_web::Route {
    if load == Load::Passed { web::get().to(passed) } else { web::get().to(refused) }
}

/// Binds a server with one worker, and prints its port. This is a macro, because the types of applications have no names.
macro_rules! bound {
    ($application:expr) => {{
        let server = HttpServer::new($application).workers(1).disable_signals().bind(("127.0.0.1", 0))?;
        println!("{}", server.addrs().first().map_or(0, std::net::SocketAddr::port));
        server.run()
    }};
}

async fn start(kind: &str, load: Load, redis: &str) -> Result<Server, Box<dyn Error>> {
    let server = match kind {
        "bare" => bound!(|| App::new().route("/", web::get().to(bare))),
        "governor" => {
            let config = governor(load).finish().ok_or(WRONG)?;
            bound!(move || App::new().wrap(Governor::new(&config)).route("/", web::get().to(bare)))
        }
        "governor-headers" => {
            let config = governor(load).use_headers().finish().ok_or(WRONG)?;
            bound!(move || App::new().wrap(Governor::new(&config)).route("/", web::get().to(bare)))
        }
        "limitation" => {
            let limiter = limitation(load, redis)?;
            bound!(move || {
                let app = App::new().wrap(Limitation::default()).app_data(limiter.clone());
                app.route("/", web::get().to(bare))
            })
        }
        "layer" => {
            ratelimit::install(RateLimiter::in_memory())?;
            bound!(move || App::new().wrap(RateLimitLayer::new()).route("/", limited(load)))
        }
        kind => {
            let limiter = match kind {
                "redis" => RateLimiter::builder().redis(redis).prefix("actix").connect().await?,
                _ => RateLimiter::in_memory(),
            };
            ratelimit::install(limiter)?;
            bound!(move || App::new().route("/", limited(load)))
        }
    };
    Ok(server)
}

const WRONG: &str = "actix-governor does not accept the numbers";

fn governor(load: Load) -> GovernorConfigBuilder<PeerIpKeyExtractor, NoOpMiddleware<QuantaInstant>> {
    let (period, burst) = match load {
        Load::Passed => (Duration::from_nanos(1), u32::MAX),
        Load::Refused => (DAY, 1),
    };
    let mut builder = GovernorConfigBuilder::default();
    builder.period(period).burst_size(burst);
    builder
}

fn limitation(load: Load, redis: &str) -> Result<web::Data<Limiter>, Box<dyn Error>> {
    let limiter = Limiter::builder(redis)
        .key_by(|request| request.peer_addr().map(|peer| peer.ip().to_string()))
        .limit(if load == Load::Passed { 4_000_000_000 } else { 1 })
        .period(DAY)
        .build()?;
    Ok(web::Data::new(limiter))
}
