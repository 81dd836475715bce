//! An API on axum: a login limited by address, a search limited by user or else by address, downloads that hold a permit,
//! and uploads whose limit is decided before their body is read.
//!
//! ```sh
//! cargo run --example axum
//! for i in 1 2 3 4; do curl -i -d '' localhost:3000/login; done      # 3 per minute; the 4th: 429, Retry-After, problem+json
//! for i in 1 2 3; do curl -i localhost:3000/search; done             # 2 per minute for an address
//! for i in 1 2 3; do curl -i -H 'x-user: 7' localhost:3000/search; done # 5 per minute for a user
//! for i in 1 2; do curl -s -o /dev/null -w '%{http_code}\n' --limit-rate 16M localhost:3000/download & done; wait # 200 and 429
//! head -c 3000 /dev/zero | curl -i --data-binary @- localhost:3000/upload # 2 per minute; a refused body is not read
//! curl -i localhost:3000/ready
//! ```

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, FromRequestParts, OptionalFromRequestParts, State};
use axum::http::{StatusCode, request::Parts};
use axum::response::Response;
use axum::routing::{get, post};
use ratelimit::answer::Answers;
use ratelimit::{By, Limit, RateLimitLayer, RateLimiter, Rejection, UserId, rate_limit};
use std::{convert::Infallible, error::Error, net::SocketAddr, time::Duration};

#[rate_limit(key = "login", time = "1m", count = 3, by = "ip")]
async fn login(ConnectInfo(peer): ConnectInfo<SocketAddr>) -> Result<String, Rejection> {
    Ok(format!("welcome, {}\n", peer.ip()))
}

/// The user of a session. A real service would verify a token instead of trusting a header.
struct User(u64);

impl UserId for User {
    type Id = u64;

    fn user_id(&self) -> Option<u64> {
        Some(self.0)
    }
}

impl<S: Sync> FromRequestParts<S> for User {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        let id = parts.headers.get("x-user").and_then(|id| id.to_str().ok()?.parse().ok());
        id.map(Self).ok_or(StatusCode::UNAUTHORIZED)
    }
}

impl<S: Sync> OptionalFromRequestParts<S> for User {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Option<Self>, Infallible> {
        Ok(<Self as FromRequestParts<S>>::from_request_parts(parts, state).await.ok())
    }
}

#[rate_limit(key = "search/user", time = "1m", count = 5, by = "user", skip_if = user.is_none())]
#[rate_limit(key = "search/address", time = "1m", count = 2, by = "ip", skip_if = user.is_some())]
async fn search(user: Option<User>, _: ConnectInfo<SocketAddr>) -> Result<String, Rejection> {
    Ok(user.map_or_else(|| "results for everybody\n".to_owned(), |User(id)| format!("results for {id}\n")))
}

/// Each address may run one download at a time, until the client has received all of it or has disconnected.
#[rate_limit(
    key = "download",
    algorithm = "concurrency",
    time = "30s",
    count = 1,
    by = "ip",
    until = "body_end"
)]
async fn download(_: ConnectInfo<SocketAddr>) -> Response {
    Response::new(Body::from(vec![b'.'; 32 << 20]))
}

async fn upload(file: Bytes) -> String {
    format!("{} bytes\n", file.len())
}

/// The readiness endpoint for a load balancer. During an outage of Redis, the service stays ready. Only with the failure
/// policy `deny`, it would not be ready.
async fn ready(State(limiter): State<RateLimiter>) -> (StatusCode, String) {
    let status = limiter.status().await;
    let code = if status.is_ready() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (code, format!("{status}\n"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    ratelimit::answer::install_answers(Answers::problem_json())?;
    let limiter = RateLimiter::in_memory(); // or RateLimiter::builder().redis("redis://127.0.0.1").connect().await?
    ratelimit::install(limiter.clone())?;

    // The layer decides its limit before the body is read.
    let uploads = RateLimitLayer::new().limit("upload", Limit::counter(2, Duration::from_secs(60)), By::ip());
    let app = Router::new()
        .route("/login", post(login))
        .route("/search", get(search))
        .route("/download", get(download))
        .route("/upload", post(upload).layer(uploads))
        .layer(RateLimitLayer::new()) // header fields on all responses above
        .route("/ready", get(ready))
        .with_state(limiter);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}
