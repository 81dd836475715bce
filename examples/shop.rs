//! A whole service: a shop whose limits are the recipes of the guide.
//!
//! ```sh
//! cargo run --example shop
//! for i in 1 2 3 4; do curl -i localhost:3000/login/ann -d wrong; done    # 3 wrong passwords in 15 minutes, then 429
//! curl -i localhost:3000/login/bob -d secret                              # a right password does not count
//! curl -i 'localhost:3000/search/tea'                                     # 10 per second and 100 per minute for an address
//! for i in 1 2 3 4; do curl -i localhost:3000/quote -H 'x-user: ann'; done # a plan: 3 per minute
//! curl -i localhost:3000/quote -H 'x-user: bob'                           # another plan: 100 per minute
//! curl -N localhost:3000/export -H 'x-user: ann' & curl -i localhost:3000/export -H 'x-user: ann' # one at a time: 429
//! curl -i localhost:3000/ready
//! kill -TERM $(pgrep -x shop)                                              # the open export ends after GRACE_SECONDS
//! ```
//!
//! | variable | default | |
//! |---|---|---|
//! | `RATELIMIT_URL` | none: limits in memory | `redis://127.0.0.1` shares the limits among all processes |
//! | `SHOP_PLANS` | see [`PLANS`] | the limit of each plan |
//! | `ADDRESS` | `127.0.0.1:3000` | where the shop listens |
//! | `GRACE_SECONDS` | 10 | how long open responses may take after SIGTERM |

use axum::body::Body;
use axum::extract::{ConnectInfo, FromRequestParts, Path, State};
use axum::http::{StatusCode, request::Parts};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream::unfold;
use ratelimit::answer::Answers;
use ratelimit::{By, Limit, OnError, RateLimitLayer, RateLimiter, Rejection, UserId, rate_limit};
use std::collections::HashMap;
use std::{convert::Infallible, env, error::Error, net::SocketAddr, str::FromStr, sync::Arc, time::Duration};
use tokio::sync::oneshot;

/// One line for each plan: its name, and its limit as text. The first plan applies to users whose plan is not configured.
const PLANS: &str = "free  counter count=3 time=1m
                     paid  token_bucket count=100 time=1m burst=20";

/// The state of the service.
#[derive(Clone)]
struct Shop {
    limiter: RateLimiter,
    plans: Arc<HashMap<String, Limit>>,
    /// The limit of users whose plan is not configured.
    basic: Limit,
}

impl Shop {
    fn new(limiter: RateLimiter, plans: &str) -> Result<Self, Box<dyn Error>> {
        let parse = |line: &str| -> Result<(String, Limit), Box<dyn Error>> {
            let (name, limit) = line.trim().split_once(' ').ok_or(format!("no limit in `{line}`"))?;
            Ok((name.to_owned(), limit.parse().map_err(|error| format!("plan `{name}`: {error}"))?))
        };
        let plans = plans.lines().map(parse).collect::<Result<Vec<_>, _>>()?;
        let (_, basic) = *plans.first().ok_or("no plans")?;
        Ok(Self { limiter, plans: Arc::new(plans.into_iter().collect()), basic })
    }

    /// Returns the limit of a user. A plan that is missing in the configuration must not fail the request.
    fn plan(&self, user: &User) -> Limit {
        self.plans.get(user.plan()).copied().unwrap_or(self.basic)
    }
}

/// A signed-in user. A real shop verifies a token instead of trusting a header.
struct User {
    name: String,
}

impl User {
    fn plan(&self) -> &'static str {
        if self.name == "bob" { "paid" } else { "free" }
    }
}

impl UserId for User {
    type Id = String;

    fn user_id(&self) -> Option<String> {
        Some(self.name.clone())
    }
}

impl<S: Sync> FromRequestParts<S> for User {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        let name = parts.headers.get("x-user").and_then(|name| name.to_str().ok());
        name.map(|name| Self { name: name.to_owned() }).ok_or(StatusCode::UNAUTHORIZED)
    }
}

/// The error type of the service. Its status is the status of the contained rejection.
enum ShopError {
    WrongPassword,
    Rejected(Rejection),
}

impl From<Rejection> for ShopError {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

impl IntoResponse for ShopError {
    fn into_response(self) -> Response {
        match self {
            Self::WrongPassword => (StatusCode::UNAUTHORIZED, "wrong password\n").into_response(),
            Self::Rejected(rejection) => rejection.into_response(),
        }
    }
}

/// Only wrong passwords count. During an outage of Redis, nobody can log in, so nobody can guess passwords.
#[rate_limit(
    key = "login",
    time = "15m",
    count = 3,
    by = (name.to_lowercase(), "ip"),
    refund_if = Result::is_ok,
    on_error = "deny"
)]
async fn login(
    Path(name): Path<String>,
    _: ConnectInfo<SocketAddr>,
    password: String,
) -> Result<String, ShopError> {
    if password == "secret" { Ok(format!("welcome, {name}\n")) } else { Err(ShopError::WrongPassword) }
}

/// The two limits are decided together.
#[rate_limit(key = "search", time = "1s", count = 10, by = "ip")]
#[rate_limit(key = "search", time = "1m", count = 100, by = "ip")]
async fn search(Path(words): Path<String>, _: ConnectInfo<SocketAddr>) -> Result<String, ShopError> {
    Ok(format!("nothing found for {words}\n"))
}

/// The limit comes from the configuration.
#[rate_limit(key = "quote", limit = shop.plan(&user), by = "user")]
async fn quote(State(shop): State<Shop>, user: User) -> Result<String, ShopError> {
    Ok(format!("{}: {}\n", user.plan(), shop.plan(&user)))
}

/// Each user may run one export at a time, until the client has received all of it or has disconnected.
#[rate_limit(
    key = "export",
    algorithm = "concurrency",
    time = "1m",
    count = 1,
    by = "user",
    until = "body_end"
)]
async fn export(user: User) -> Result<Body, ShopError> {
    Ok(Body::from_stream(unfold(0, move |row| {
        let line = format!("{}, row {row}\n", user.name);
        async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            (row < 3000).then_some((Ok::<_, Infallible>(line), row + 1))
        }
    })))
}

/// The readiness endpoint for a load balancer. `login` denies calls during an outage of Redis, but the shop is still ready.
async fn ready(State(shop): State<Shop>) -> (StatusCode, String) {
    let status = shop.limiter.status().await;
    let code = if status.is_ready() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (code, format!("{status}\n"))
}

fn router(shop: Shop) -> axum::Router {
    let everything = Limit::counter(1000, Duration::from_secs(60));
    axum::Router::new()
        .route("/login/{name}", post(login))
        .route("/search/{words}", get(search))
        .route("/quote", get(quote))
        .route("/export", get(export))
        // The layer writes header fields into all responses. Its limit is decided before a body is read.
        .layer(RateLimitLayer::new().limit("everything", everything, By::ip()))
        .route("/ready", get(ready))
        .with_state(shop)
}

fn variable<T: FromStr>(name: &str, default: T) -> T {
    env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Waits for the signal that ends a service.
async fn terminated() -> std::io::Result<()> {
    #[cfg(unix)]
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?.recv().await;
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let limiter = match env::var("RATELIMIT_URL") {
        Ok(url) => {
            RateLimiter::builder().redis(url).prefix("shop").on_error(OnError::Local).connect().await?
        }
        Err(_) => RateLimiter::in_memory(),
    };
    ratelimit::install(limiter.clone())?;
    ratelimit::answer::install_answers(Answers::problem_json())?;
    let shop = Shop::new(limiter.clone(), &variable("SHOP_PLANS", PLANS.to_owned()))?;

    let address = variable("ADDRESS", SocketAddr::from(([127, 0, 0, 1], 3000)));
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{}", listener.local_addr()?);
    let (close, closed) = oneshot::channel::<()>();
    let service = router(shop).into_make_service_with_connect_info::<SocketAddr>();
    let server = axum::serve(listener, service).with_graceful_shutdown(async { drop(closed.await) });
    let server = tokio::spawn(server.into_future());

    terminated().await?;
    drop(close); // no new connections; open responses go on
    let grace = Duration::from_secs(variable("GRACE_SECONDS", 10));
    let _ = tokio::time::timeout(grace, server).await; // an export may take longer
    limiter.close().await; // returns its permit
    Ok(())
}
