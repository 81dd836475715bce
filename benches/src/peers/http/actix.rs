//! actix-web servers of the comparison.

use super::{Load, count};
use actix_governor::{Governor, GovernorConfig, GovernorConfigBuilder, PeerIpKeyExtractor};
use actix_limitation::{Limiter, RateLimiter as Limitation};
use actix_web::dev::Server;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use ratelimit::{Limit, RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::error::Error;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);

async fn bare(_: HttpRequest) -> &'static str {
    "hello"
}

#[rate_limit(key = "http", limit = Limit::counter(count(Load::Passed), DAY), by = "ip")]
async fn passed(_: HttpRequest) -> Result<&'static str, Rejection> {
    Ok("hello")
}

#[rate_limit(key = "http", limit = Limit::counter(count(Load::Refused), DAY), by = "ip")]
async fn refused(_: HttpRequest) -> Result<&'static str, Rejection> {
    Ok("hello")
}

pub(super) fn serve(kind: &str, load: Load, redis: &str) -> Result<(), Box<dyn Error>> {
    actix_web::rt::System::new().block_on(async { Ok(start(kind, load, redis).await?.await?) })
}

fn limited(load: Load) -> actix_web::Route {
    if load == Load::Passed { web::get().to(passed) } else { web::get().to(refused) }
}

async fn start(kind: &str, load: Load, redis: &str) -> Result<Server, Box<dyn Error>> {
    let server = match kind {
        "bare" => bind(HttpServer::new(|| App::new().route("/", web::get().to(bare))))?,
        "governor" => {
            let config = governor(load)?;
            bind(HttpServer::new(move || {
                App::new().wrap(Governor::new(&config)).route("/", web::get().to(bare))
            }))?
        }
        "limitation" => {
            let limiter = limitation(load, redis)?;
            bind(HttpServer::new(move || {
                let app = App::new().wrap(Limitation::default()).app_data(limiter.clone());
                app.route("/", web::get().to(bare))
            }))?
        }
        "layer" => {
            ratelimit::install(RateLimiter::in_memory())?;
            bind(HttpServer::new(move || App::new().wrap(RateLimitLayer::new()).route("/", limited(load))))?
        }
        kind => {
            let limiter = match kind {
                "redis" => RateLimiter::builder().redis(redis).prefix("actix").build().await?,
                _ => RateLimiter::in_memory(),
            };
            ratelimit::install(limiter)?;
            bind(HttpServer::new(move || App::new().route("/", limited(load))))?
        }
    };
    Ok(server)
}

fn governor(load: Load) -> Result<Config, Box<dyn Error>> {
    let (period, burst) = match load {
        Load::Passed => (Duration::from_nanos(1), u32::MAX),
        Load::Refused => (DAY, 1),
    };
    let config = GovernorConfigBuilder::default().period(period).burst_size(burst).finish();
    config.ok_or_else(|| "actix-governor does not accept the numbers".into())
}

type Config = GovernorConfig<
    PeerIpKeyExtractor,
    actix_governor::governor::middleware::NoOpMiddleware<actix_governor::governor::clock::QuantaInstant>,
>;

fn limitation(load: Load, redis: &str) -> Result<web::Data<Limiter>, Box<dyn Error>> {
    let limiter = Limiter::builder(redis)
        .key_by(|request| request.peer_addr().map(|peer| peer.ip().to_string()))
        .limit(usize::try_from(count(load))?)
        .period(DAY)
        .build()?;
    Ok(web::Data::new(limiter))
}
